// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { writeFrame } from "#core/frame.ts";
import { linesOf } from "#mixwidgets/runs/widgets/training_lab/lines.ts";
import { noCurves, type Row } from "#mixwidgets/runs/widgets/training_lab/state.ts";
import { curves, labModel, row, stage } from "./training_lab_model.ts";

const { page, show, button, box, region, can, type } = stage();
const over = (id: string, recipe: string, changes = {}) => row({ id, recipe, status: "completed", step: 300, rate: null, ...changes });
const waits = (id: string, recipe: string, position: number) => row({ id, recipe, status: "queued", position, step: 0, rate: null, metrics: {}, gradients: false });
const lines = () => [...page().querySelectorAll<HTMLTableRowElement>("tbody tr")];

describe("the queue", () => {
  it("shows who waits and where, and what the progress is about", () => {
    const model = labModel({ _live_rows: [waits("3", "bf16", 2), waits("2", "fp32", 1), row({ id: "1" })] });
    show(model);
    expect(lines().map((line) => line.querySelector(".mw-run-detail")!.textContent)).toEqual([
      "seed 0 · queued (2nd) · 2 skipped", "seed 0 · queued (1st) · 2 skipped", "seed 0 · running · 2 skipped",
    ]);
    expect(page().querySelector(".mw-progress-text")!.textContent).toMatch(/^fp16 dynamic: step 213 .* · 2 in line/);
    model.set("_live_rows", [waits("3", "bf16", 2), waits("2", "fp32", 1)]);
    expect(page().querySelector(".mw-progress-text")!.textContent).toMatch(/^fp32: queued \(1st\) · 1 in line/);
  });

  it("stops the one that is selected alone, else the one that runs; or all", () => {
    const model = labModel({ _live_rows: [waits("2", "fp32", 1), row({ id: "1" })] });
    show(model);
    button("Stop").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop", run: "1" });
    expect(button("Stop").title).toBe("Sent to the kernel.");
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    box("fp32").click();
    expect(button("Stop").title).toBe("stops fp32");
    button("Stop").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop", run: "2" });
    button("Stop all").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop_all" });
    model.set("_live_rows", []);
    model.set("_rows", [over("2", "fp32")]);
    expect(can(button("Stop all"))).toBe(false);
    expect(button("Stop all").title).toBe("No run of this folder is going on.");
  });

  it("speaks of every run that ends, also when the next one starts in its place", () => {
    const model = labModel({ _live_rows: [waits("2", "fp32", 1), row({ id: "1" })] });
    show(model);
    model.set("_rows", [over("1", "fp16_dynamic", { status: "diverged", message: "The loss is NaN." })]);
    model.set("_live_rows", [row({ id: "2", recipe: "fp32", rate: null })]);
    expect(page().querySelector("section > [aria-live=polite]")!.textContent).toBe("fp16 dynamic: diverged; fp32: running");
  });

  it("tells why a run failed, in its row as in the words above, as text", () => {
    show(labModel({ _rows: [over("1", "fp32", { status: "diverged", message: "The loss is <b>NaN</b>." })], _shown: ["1"] }));
    expect(page().querySelector(".mw-run-reason")!.textContent).toBe("The loss is <b>NaN</b>.");
    expect(page().querySelector(".mw-progress .mw-callout")!.textContent).toBe("fp32: diverged. The loss is <b>NaN</b>.");
    expect(page().querySelector("b")).toBeNull();
  });
});

describe("runs of several tasks", () => {
  it("say which they trained, which runs of one task need not", () => {
    const details = () => lines().map((line) => line.querySelector(".mw-run-detail")!.textContent);
    const model = labModel({ _rows: [over("2", "fp32", { skipped: 0 }), over("1", "fp32", { skipped: 0 })] });
    show(model);
    expect(details()).toEqual(["seed 0 · completed", "seed 0 · completed"]);
    const loop = { task: "watch", seed: null, skipped: 0 };
    model.set("_rows", [over("3", "Net", loop), over("2", "fp32", { task: "Ring", skipped: 0 }), over("1", "fp32", { skipped: 0 })]);
    expect(details()).toEqual(["a training loop of your own, watched · completed", "Ring · seed 0 · completed", "digits_cnn · seed 0 · completed"]);
  });
});

describe("many runs", () => {
  const many = Array.from({ length: 200 }, (_, i) => over(String(1200 - i), "fp32", { seed: i }));

  it("touches, at ten updates a second, only the rows that changed", async () => {
    const model = labModel({ _rows: many, _live_rows: [row({ id: "2000" })] });
    show(model);
    const touched = new Set<Node>();
    const observer = new MutationObserver((changes) => changes.forEach(({ target }) => touched.add(target)));
    observer.observe(page().querySelector("tbody")!, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let step = 214; step < 224; step += 1) {
      model.set("_live_rows", [row({ id: "2000", step, flushed: step / 1000 })]);
    }
    await Promise.resolve();
    observer.disconnect();
    expect(touched.size).toBeGreaterThan(0);
    for (const node of touched) expect(lines()[0]!.contains(node)).toBe(true);
  });

  it("keeps the focus and the place of each row when runs come and go", () => {
    const model = labModel({ _rows: many });
    show(model);
    const [kept] = lines().slice(7, 8);
    kept!.querySelector("input")!.focus();
    const focused = document.activeElement;
    model.set("_live_rows", [waits("2001", "bf16", 1), row({ id: "2000" })]);
    model.set("_rows", many.filter((_, i) => i !== 3));
    expect(document.activeElement).toBe(focused);
    expect(lines().indexOf(kept as HTMLTableRowElement)).toBe(8);
    model.set("_rows", [over("2000", "fp16_dynamic"), ...many]);
    model.set("_live_rows", []);
    expect(document.activeElement).toBe(focused);
  });

  it("keeps the focus where a row moves in the order, and leaves it to the table where the row goes", () => {
    const [one, two] = [over("1", "fp32", { metrics: { loss: 0.1 } }), over("2", "fp16_dynamic", { metrics: { loss: 0.2 } })];
    const model = labModel({ _rows: [two, one] });
    show(model);
    type(page().querySelector<HTMLSelectElement>(".mw-finder > select:last-child")!, "loss");
    for (const focused of [box("fp32"), box("fp16 dynamic")]) {
      focused.focus();
      model.set("_rows", [two, { ...one, metrics: { loss: 0.3 } }]);
      expect(document.activeElement).toBe(focused);
      model.set("_rows", [two, one]);
      expect(document.activeElement).toBe(focused);
    }
    model.set("_rows", [one]);
    expect(document.activeElement).toBe(region("runs"));
  });

  it("draws a window of the rows, and more when asked; those that are selected always", () => {
    const model = labModel({ _rows: many, _shown: ["1010"] });
    show(model);
    const title = (line: Element | undefined) => line!.querySelector(".mw-run-name")!.textContent;
    expect(lines()).toHaveLength(101);
    expect([title(lines()[0]), title(lines().at(-1))]).toEqual(["fp32 #200", "fp32 #10"]);
    expect(page().querySelector(".mw-runs table")!.getAttribute("aria-rowcount")).toBe("201");
    expect(button("Show").textContent).toBe("Show 99 more (99 left)");
    button("Show").click();
    expect(lines()).toHaveLength(200);
    expect(button("Show").hidden).toBe(true);
    expect(document.activeElement).toBe(region("runs"));
  });
});

describe("finding runs", () => {
  const some = [
    over("9", "fp32", { task: "own", seed: 3, metrics: { loss: 0.5 } }),
    over("8", "fp16_dynamic", { status: "crashed", metrics: {} }),
    over("7", "fp16_static", { metrics: { accuracy: 0.9, loss: "nan" } }),
    over("6", "fp16_static", { metrics: { accuracy: 0.95, loss: 0.3 } }),
    ...Array.from({ length: 5 }, (_, i) => over(String(i), "bf16", { metrics: { accuracy: 0.5, loss: 1 } })).reverse(),
  ];
  const names = () => lines().map((line) => line.querySelector(".mw-run-name")!.textContent);
  const search = () => page().querySelector<HTMLInputElement>("input[type=search]")!;
  const choice = (name: string) => page().querySelector<HTMLSelectElement>(`.mw-finder select[aria-label$=${name}]`)!;
  const said = () => page().querySelector(".mw-finder [role=status]")!.textContent;
  const look = (text: string) => {
    search().value = text;
    search().dispatchEvent(new Event("input"));
  };

  it("offers nothing to find among a few", () => {
    const model = labModel({ _rows: some.slice(1) });
    show(model);
    expect(page().querySelector<HTMLElement>(".mw-finder")!.hidden).toBe(true);
    model.set("_rows", some);
    expect(page().querySelector<HTMLElement>(".mw-finder")!.hidden).toBe(false);
    expect(said()).toBe("9 runs");
  });

  it.each([
    ["static", ["fp16 static #2", "fp16 static #1"]],
    ["FP16 #2", ["fp16 static #2"]],
    ["crashed", ["fp16 dynamic"]],
    ["digits dynamic", ["fp16 dynamic"]],
    ["own 3", ["fp32"]],
    ["<b>", []],
  ])("finds %j in what a row says", (text, wanted) => {
    show(labModel({ _rows: some }));
    look(text);
    expect(names()).toEqual(wanted);
    expect(said()).toBe(`${wanted.length} of 9 runs`);
    expect(page().querySelector(".mw-runs")!.textContent!.includes("No run matches.")).toBe(wanted.length === 0);
    look("");
    expect(names()).toHaveLength(9);
  });

  it("lists the runs of a task, a recipe, a state, of those that there are", () => {
    const model = labModel({ _rows: some });
    show(model);
    expect([...choice("task").options].map((one) => one.textContent)).toEqual(["any task", "Digits", "own"]);
    expect([...choice("state").options].map((one) => one.textContent)).toEqual(["any state", "completed", "crashed"]);
    type(choice("recipe"), "fp16_static");
    expect(names()).toEqual(["fp16 static #2", "fp16 static #1"]);
    type(choice("state"), "crashed");
    expect(names()).toEqual([]);
    type(choice("recipe"), "");
    expect(names()).toEqual(["fp16 dynamic"]);
    model.set("_rows", some.filter((one) => one.status !== "crashed"));
    expect(choice("state").value).toBe(""); // the last of its kind is gone
    expect(names()).toHaveLength(8);
  });

  it.each([
    ["newest", "98764"], ["oldest", "01234"], ["task", "87643"], ["recipe", "43210"], ["status", "97643"], ["score", "67432"], ["loss", "69432"],
  ])("puts them in order: %s", (order, first) => {
    show(labModel({ _rows: some }));
    type(choice("order"), order);
    expect(names().slice(0, 5)).toEqual([...first].map(nameOf));
  });

  it("keeps a selected run drawn that is not listed, and its curves", () => {
    const model = labModel({ _rows: some, _shown: ["9"], _settled: writeFrame({ 9: curves(2, 1) }) });
    show(model);
    look("static");
    expect(names()).toHaveLength(2);
    expect(page().querySelectorAll("svg[role=img]")[0]!.querySelectorAll("g.mw-run")).toHaveLength(1);
    box("fp16 static #1").click();
    expect(model.get("_shown")).toEqual(["9", "6"]);
  });

  const nameOf = (id: string): string => {
    const { recipe } = some.find((one) => one.id === id)!;
    const same = some.filter((one) => one.recipe === recipe).map((one) => one.id).reverse();
    const plain = recipe.replace("_", " ");
    return same.length === 1 ? plain : `${plain} #${same.indexOf(id) + 1}`;
  };
});

describe("comparing", () => {
  const three = () => labModel({ _rows: [over("3", "fp32"), over("2", "fp16_dynamic")], _live_rows: [row({ id: "4", recipe: "bf16" })], _shown: ["2", "4"] });
  const comparison = {
    runs: ["2", "3"],
    rows: [
      { field: "recipe.loss_scale.init_scale", kind: "setting", values: [65536, null] },
      { field: "metrics.accuracy", kind: "result", values: [0.972, "nan"] },
      { field: "<img src=x onerror=alert(1)>", kind: "result", values: ["<b>x</b>", 3] },
    ],
  };

  it("takes the selected runs that are over, two at least", () => {
    const model = three();
    show(model);
    expect(can(button("Compare"))).toBe(false);
    expect(button("Compare").title).toBe("Select two or more finished runs.");
    const sent = model.sent.length;
    button("Compare").click();
    expect(model.sent).toHaveLength(sent);
    box("fp32").click();
    button("Compare").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "compare", runs: ["2", "3"] });
  });

  it("shows what differs and results as a table of text, takes the focus there, and closes", () => {
    const model = three();
    model.set("_shown", ["2", "3"]);
    show(model);
    button("Compare").focus();
    button("Compare").click();
    model.set("_comparison", comparison);
    const panel = region("2 runs compared");
    expect(document.activeElement).toBe(panel.querySelector("h4"));
    const cells = [...panel.querySelectorAll("tr")].map((line) => [...line.children].map((cell) => cell.textContent));
    expect(cells).toEqual([
      ["field", "fp16 dynamic", "fp32"],
      ["what differs"],
      ["loss scale: init scale", "2¹⁶", "–"],
      ["results"],
      ["accuracy", "97.2 %", "NaN"],
      ["<img src=x onerror=alert(1)>", "<b>x</b>", "3"],
    ]);
    expect(panel.querySelector("img, b")).toBeNull();
    const table = panel.querySelector("table");
    model.set("_live_rows", [row({ id: "4", recipe: "bf16", step: 250 })]);
    expect(panel.querySelector("table")).toBe(table); // updates of a run that goes on make nothing anew
    [...panel.querySelectorAll("button")].at(-1)!.click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "compare", runs: [] });
    expect(document.activeElement).toBe(button("Compare"));
    model.set("_comparison", {});
    expect(panel.hidden).toBe(true);
  });

  it("says so where nothing differs", () => {
    const model = three();
    model.set("_comparison", { ...comparison, rows: comparison.rows.slice(1) });
    show(model);
    expect(region("2 runs compared").querySelector(".mw-part")!.textContent).toBe("what differs: nothing, the settings are the same");
  });

  it("shows a saved one without a kernel, leaves the focus where it is, and closes it in the page", () => {
    const model = three();
    model.set("_comparison", comparison);
    show(model);
    model.answer({ kind: "no_kernel" });
    const panel = region("2 runs compared");
    expect(panel.hidden).toBe(false);
    expect(document.activeElement).toBe(document.body);
    panel.querySelector("button")!.click();
    expect(panel.hidden).toBe(true);
    expect(document.activeElement).toBe(button("Compare"));
  });

  it.each([{}, { runs: [] }, { runs: "x", rows: 3 }, { runs: ["2"] }])("takes %j for none", (wrong) => {
    const model = three();
    model.set("_comparison", wrong);
    show(model);
    expect(page().querySelector(".mw-comparison")).toBeNull();
  });
});

describe("opening gradients", () => {
  /** A host's manager: models by id, and views that are told apart by their text. */
  function managed(model: ReturnType<typeof labModel>) {
    const removed: string[] = [];
    const manager = {
      get_model: async (id: string) => (id === "gone" ? Promise.reject(new Error("model not found")) : id),
      create_view: async (id: string) => {
        const el = document.createElement("div");
        el.textContent = `explorer ${id}`;
        return { el, remove: () => void (removed.push(id), el.remove()) };
      },
    };
    return { model: Object.assign(model, { widget_manager: manager }), removed };
  }
  const settle = () => new Promise((done) => setTimeout(done));
  const one = (changes = {}) => labModel({ _rows: [over("2", "fp32"), over("1", "fp16_dynamic")], _shown: ["1"], ...changes });

  it("is for one run that has recorded some", () => {
    const model = one({ _shown: ["1", "2"] });
    show(model);
    expect(button("Open gradients").title).toBe("Select a single run.");
    model.set("_shown", ["1"]);
    model.set("_rows", [over("1", "fp16_dynamic", { gradients: false })]);
    expect(button("Open gradients").title).toBe("This run has recorded no gradients yet.");
    model.set("_rows", [over("1", "fp16_dynamic")]);
    expect(can(button("Open gradients"))).toBe(true);
  });

  it("can be pressed as soon as a run is selected alone, before a frame is painted", () => {
    const model = one({ _shown: ["1", "2"] });
    show(model);
    expect(can(button("Open gradients"))).toBe(false);
    box("fp32").click();
    expect(can(button("Open gradients"))).toBe(true);
    button("Open gradients").click();
    expect(region("Gradients of fp16 dynamic").hidden).toBe(false);
  });

  it("asks the kernel, shows the explorer that comes, replaces it by the next, and removes it", async () => {
    const { model, removed } = managed(one());
    const cleanup = show(model);
    button("Open gradients").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "gradients", run: "1" });
    model.set("_explorer_run", "1");
    model.set("_explorer", "IPY_MODEL_abc");
    await settle();
    const panel = region("Gradients of fp16 dynamic");
    expect(panel.textContent).toContain("explorer abc");
    expect(document.activeElement).toBe(panel.querySelector("h4"));
    model.set("_explorer_run", "2");
    model.set("_explorer", "IPY_MODEL_def");
    await settle();
    expect(region("Gradients of fp32").textContent).toContain("explorer def");
    expect(removed).toEqual(["abc"]);
    panel.querySelector("button")!.click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "gradients", run: null });
    model.set("_explorer", null);
    expect(panel.hidden).toBe(true);
    expect(removed).toEqual(["abc", "def"]);
    cleanup();
  });

  it("shows no view that comes too late", async () => {
    const { model, removed } = managed(one({ _explorer: "IPY_MODEL_abc", _explorer_run: "1" }));
    const cleanup = show(model);
    cleanup();
    await settle();
    expect(page().textContent).not.toContain("explorer abc");
    expect(removed.length).toBeLessThanOrEqual(1);
  });

  it.each(["no manager", "a model that is gone"])("says the line of Python where there is %s", async (why) => {
    const model = why === "no manager" ? one() : managed(one({ _explorer: "IPY_MODEL_gone", _explorer_run: "1" })).model;
    show(model);
    const before = model.sent.length;
    if (why === "no manager") button("Open gradients").click();
    await settle();
    expect(region("Gradients of fp16 dynamic").querySelector("code")!.textContent).toBe('mw.LossScaleExplorer(mw.open_run("my/runs/1"))');
    expect(model.sent).toHaveLength(before);
    region("Gradients of fp16 dynamic").querySelector("button")!.click();
    if (why === "no manager") expect(region("")?.hidden ?? true).toBe(true);
  });
});

describe("gradient shares", () => {
  const chart = () => page().querySelectorAll("svg[role=img]")[2]!;

  it("draws an area for each class of each run, and says the newest shares", () => {
    const model = labModel({ _live_rows: [row()], _live: writeFrame({ "run-1": curves(2, 1) }), _shown: ["run-1"] });
    show(model);
    expect([...chart().querySelectorAll("path[fill]")].every((path) => path.getAttribute("d")!.startsWith("M"))).toBe(true);
    expect(chart().querySelector("title")!.textContent).toBe(
      "Gradients of fp16 dynamic at step 9: zero 50.0 %, flushed 12.5 %, subnormal 12.5 %, normal 12.5 %, overflow 6.3 %, not finite 6.3 %.",
    );
    expect(chart().querySelectorAll(".mw-areas path")).toHaveLength(5);
    expect(page().querySelector(".mw-shares-key")!.textContent).toBe("zeroflushedsubnormalnormaloverflownot finite");
  });

  it("begins with the run that loses, and says when none is counted", () => {
    const names = () => [...chart().querySelectorAll(".mw-label")].map((one) => one.textContent);
    const model = labModel({
      _rows: [over("2", "fp32"), over("1", "fp16_dynamic")], _settled: writeFrame({ 1: curves(2, 1), 2: curves(2, 1) }), _shown: ["2", "1"],
    });
    show(model);
    expect(names()).toEqual(["fp32", "fp16 dynamic"]);
    model.set("_verdict", [{ runs: ["1"], loses: true, head: "fp16 dynamic learns nothing", why: "", figures: "" }]);
    expect(names()).toEqual(["fp16 dynamic", "fp32"]);
    expect(button("Open this step").title).toBe("Gradients of fp16 dynamic");
    model.set("_settled", writeFrame({}));
    expect(chart().textContent).toContain("No gradients have been counted.");
    expect(page().querySelector<HTMLElement>(".mw-shares-key")!.hidden).toBe(true);
  });
});

describe("the verdict", () => {
  const finding = (changes = {}) => ({ runs: ["1"], loses: true, head: "fp16 dynamic learns nothing", why: "92 % are <b>0</b>", figures: "accuracy 11 %", ...changes });
  const verdict = () => [...page().querySelectorAll<HTMLElement>(".mw-verdict-area > p")].filter(({ hidden }) => !hidden).map(({ textContent }) => textContent);
  const done = { task: "mask", steps: 250, step: 250, settings: "loss_weight=0.00001, eps=1e-12" };
  const runs = { _rows: [over("2", "fp32", done), over("1", "fp16_dynamic", done)], _shown: ["2", "1"] };

  it("stands first and large, as text, and the others below it", () => {
    show(labModel({ ...runs, _verdict: [finding(), finding({ runs: ["2"], loses: false, head: "bf16 ends where fp32 does", why: "accuracy 92 %", figures: "" })] }));
    expect(verdict().slice(0, 2)).toEqual([
      "fp16 dynamic learns nothing: 92 % are <b>0</b>.", "Accuracy 11 %. bf16 ends where fp32 does: accuracy 92 %.",
    ]);
    expect(page().querySelector("b")).toBeNull();
  });

  it("gives way to the question of a scenario until its runs are over, and then to what explains them", () => {
    const model = labModel({ ...runs, _verdict: [], task: "mask", recipe: ["fp32", "fp16_dynamic"], steps: 250, settings: "loss_weight=1e-05, eps=1e-12" });
    show(model);
    expect(verdict()).toEqual(["Who learns?"]);
    model.set("_verdict", [finding()]);
    expect(verdict().at(-1)).toBe("The loss hardly moves.");
    model.set("_shown", ["1"]); // no longer the scenario's runs
    expect(verdict()).toEqual(["fp16 dynamic learns nothing: 92 % are <b>0</b>.", "Accuracy 11 %."]);
    model.set("_shown", ["2"]); // and here not those of the verdict
    expect(verdict()).toEqual(["Who learns?"]);
  });
});

describe("runs of several tasks", () => {
  it("never share an axis: those of the task that was selected last are drawn, and so it says", () => {
    const rows = [over("3", "fp32", { task: "mask" }), over("2", "bf16"), over("1", "fp32")];
    const model = labModel({ _rows: rows, _settled: writeFrame({ 1: curves(2), 2: curves(2), 3: curves(0.01) }), _shown: ["3", "1", "2"] });
    show(model);
    const lines = () => page().querySelector("svg[role=img]")!.querySelectorAll(".mw-line:not(.mw-sample)").length;
    const said = () => page().querySelector<HTMLElement>(".mw-charts > .mw-note")!;
    expect([lines(), said().hidden, said().textContent]).toEqual([2, false, "Drawn: 2 of 3 selected runs, those of Digits. Runs of different tasks do not share an axis."]);
    expect([...page().querySelectorAll<HTMLInputElement>(".mw-runs input")].every(({ checked }) => checked)).toBe(true);
    model.set("_shown", ["1", "2", "3"]);
    expect([lines(), said().textContent!.slice(0, 13)]).toEqual([1, "Drawn: 1 of 3"]);
    model.set("_shown", ["1", "2"]);
    expect([lines(), said().hidden]).toEqual([2, true]);
  });

  it("of one recipe are one line, their mean, with a band; a seed without a finite loss leaves a gap", () => {
    const rows = [over("2", "fp32", { seed: 1, settings: "" }), over("1", "fp32", { settings: "" })];
    show(labModel({ _rows: rows, _settled: writeFrame({ 1: curves(4, 2, 1), 2: curves(6, 4, NaN) }), _shown: ["1", "2"] }));
    const loss = page().querySelector("svg[role=img]")!;
    expect(loss.querySelectorAll(".mw-line:not(.mw-sample)")).toHaveLength(1);
    expect(loss.querySelector(".mw-label")!.textContent).toBe("fp32 · 2 seeds");
    expect(loss.querySelector(".mw-band")!.getAttribute("d")).toMatch(/^M/);
    expect(linesOf([4, 6].map((first, seed) => ({ row: rows[seed]!, name: "x", style: 0, curves: { ...noCurves, loss: [{ step: 1, value: first }, { step: 2, value: seed ? NaN : 2 }] } })))[0]).toMatchObject({
      loss: [{ step: 1, value: 5 }, { step: 2, value: NaN }], range: [{ step: 1, low: 4, high: 6 }, { step: 2, low: NaN, high: NaN }],
    });
  });
});

describe("a scenario on the stage", () => {
  const choice = { task: "mask", recipe: ["fp32", "fp16_dynamic"], steps: 250, settings: "loss_weight=1e-05" };
  let model: ReturnType<typeof labModel>;
  const answered = (changes: Partial<Row>) => {
    const done = { task: "mask", steps: 250, step: 250, status: "completed", settings: "loss_weight=0.00001" };
    model = labModel({
      _scenarios: [{ title: "Underflow", question: "Does it learn?", watch: "It does not.", choice }],
      _rows: [row({ ...done, id: "b", recipe: "fp16_dynamic" }), row({ ...done, id: "a", recipe: "fp32", ...changes })], _shown: ["other"],
    });
    show(model);
    const root = page().querySelector(".mw-training-lab")!;
    page().querySelector<HTMLElement>(".mw-stage-button")!.click();
    expect([root.hasAttribute("data-asks"), page().querySelector(".mw-stage-question")!.textContent]).toEqual([true, "Does it learn?"]);
    page().querySelector<HTMLInputElement>(".mw-stage-sequence input")!.value = "no";
    button("Show").click();
    expect([root.hasAttribute("data-asks"), model.get("task"), page().querySelector(".mw-verdict")!.textContent]).toEqual([false, "mask", "Does it learn?"]);
    return { shown: model.get("_shown"), launched: model.sent.filter(({ kind }) => kind === "launch").map(({ experiment }) => experiment) };
  };

  it.each([{}, { status: "diverged" }])("shows its runs where they are there: %o", (changes) => {
    expect(answered(changes)).toEqual({ shown: ["a", "b"], launched: [] });
  });

  it("shows no other run in its place, and says that a saved page lacks it", () => {
    expect(answered({ seed: 1 }).shown).toEqual([]);
    const progress = () => page().querySelector(".mw-progress-text")!.textContent;
    expect(progress()).toBe("Nothing is drawn yet: launch, or select runs in the table.");
    model.answer({ kind: "no_kernel" });
    expect(progress()).toBe("This page was saved without the runs of this choice.");
  });

  it.each([{ seed: 1 }, { steps: 249 }, { settings: "" }, { settings: null }, { status: "stopped" }])("launches them where one differs: %o", (changes) => {
    expect(answered(changes)).toEqual({ shown: [], launched: [{ ...choice, seed: 0, device: "auto" }] });
  });
});
