// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { curves, labModel, row, stage } from "./training_lab_model.ts";

const { page, paint, show, button, box, region, can } = stage();
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
    paint();
    expect(page().querySelector(".mw-progress-text")!.textContent).toMatch(/^fp32: queued \(1st\) · 1 in line/);
  });

  it("stops the one that is selected alone, else the one that runs; or all", () => {
    const model = labModel({ _live_rows: [waits("2", "fp32", 1), row({ id: "1" })] });
    show(model);
    button("Stop").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop", run: "1" });
    expect(button("Stop").title).toBe("The kernel has been asked.");
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    box("fp32").click();
    paint();
    expect(button("Stop").title).toBe("stops fp32");
    button("Stop").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop", run: "2" });
    button("Stop all").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop_all" });
    model.set("_live_rows", []);
    model.set("_rows", [over("2", "fp32")]);
    paint();
    expect(can(button("Stop all"))).toBe(false);
    expect(button("Stop all").title).toBe("No run of this folder goes on.");
  });

  it("speaks of every run that ends, also when the next one starts in its place", () => {
    const model = labModel({ _live_rows: [waits("2", "fp32", 1), row({ id: "1" })] });
    show(model);
    model.set("_rows", [over("1", "fp16_dynamic", { status: "diverged", message: "The loss is NaN." })]);
    model.set("_live_rows", [row({ id: "2", recipe: "fp32", rate: null })]);
    paint();
    expect(page().querySelector("[aria-live=polite]")!.textContent).toBe("fp16 dynamic: diverged; fp32: running");
  });

  it("tells why a run failed, in its row as in the words above, as text", () => {
    show(labModel({ _rows: [over("1", "fp32", { status: "diverged", message: "The loss is <b>NaN</b>." })] }));
    expect(page().querySelector(".mw-run-reason")!.textContent).toBe("The loss is <b>NaN</b>.");
    expect(page().querySelector(".mw-callout")!.textContent).toBe("fp32: diverged. The loss is <b>NaN</b>.");
    expect(page().querySelector("b")).toBeNull();
  });
});

describe("many runs", () => {
  const many = Array.from({ length: 200 }, (_, i) => over(String(1200 - i), "fp32", { seed: i }));

  it("touches, at ten updates a second, only the rows that changed", async () => {
    const model = labModel({ _rows: many, _live_rows: [row({ id: "2000" })] });
    show(model);
    expect(lines()).toHaveLength(201);
    const touched = new Set<Node>();
    const observer = new MutationObserver((changes) => changes.forEach(({ target }) => touched.add(target)));
    observer.observe(page().querySelector("tbody")!, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let step = 214; step < 224; step += 1) {
      model.set("_live_rows", [row({ id: "2000", step, flushed: step / 1000 })]);
      paint();
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
    paint();
    expect(document.activeElement).toBe(focused);
    expect(lines().indexOf(kept as HTMLTableRowElement)).toBe(8);
    model.set("_rows", [over("2000", "fp16_dynamic"), ...many]);
    model.set("_live_rows", []);
    paint();
    expect(document.activeElement).toBe(focused);
    expect(lines()).toHaveLength(201);
  });
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
    expect(button("Compare").title).toBe("Select two runs or more that are over.");
    const sent = model.sent.length;
    button("Compare").click();
    expect(model.sent).toHaveLength(sent);
    box("fp32").click();
    paint();
    button("Compare").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "compare", runs: ["2", "3"] });
  });

  it("shows what differs and what came of it as a table of text, takes the focus there, and closes", () => {
    const model = three();
    model.set("_shown", ["2", "3"]);
    show(model);
    button("Compare").focus();
    button("Compare").click();
    model.set("_comparison", comparison);
    paint();
    const panel = region("2 runs compared");
    expect(document.activeElement).toBe(panel.querySelector("h4"));
    const cells = [...panel.querySelectorAll("tr")].map((line) => [...line.children].map((cell) => cell.textContent));
    expect(cells).toEqual([
      ["field", "fp16 dynamic", "fp32"],
      ["what differs"],
      ["loss scale: init scale", "2¹⁶", "–"],
      ["what came of it"],
      ["accuracy", "97.2 %", "NaN"],
      ["<img src=x onerror=alert(1)>", "<b>x</b>", "3"],
    ]);
    expect(panel.querySelector("img, b")).toBeNull();
    const table = panel.querySelector("table");
    model.set("_live_rows", [row({ id: "4", recipe: "bf16", step: 250 })]);
    paint();
    expect(panel.querySelector("table")).toBe(table); // updates of a run that goes on make nothing anew
    [...panel.querySelectorAll("button")].at(-1)!.click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "compare", runs: [] });
    expect(document.activeElement).toBe(button("Compare"));
    model.set("_comparison", {});
    paint();
    expect(panel.hidden).toBe(true);
  });

  it("shows a saved one without a kernel, leaves the focus where it is, and closes it in the page", () => {
    const model = three();
    model.set("_comparison", comparison);
    show(model);
    model.answer({ kind: "no_kernel" });
    paint();
    const panel = region("2 runs compared");
    expect(panel.hidden).toBe(false);
    expect(document.activeElement).toBe(document.body);
    panel.querySelector("button")!.click();
    paint();
    expect(panel.hidden).toBe(true);
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
    expect(button("Open gradients").title).toBe("Select one run alone.");
    model.set("_shown", ["1"]);
    model.set("_rows", [over("1", "fp16_dynamic", { gradients: false })]);
    paint();
    expect(button("Open gradients").title).toBe("This run has recorded no gradients yet.");
    model.set("_rows", [over("1", "fp16_dynamic")]);
    paint();
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
    paint();
    await settle();
    const panel = region("Gradients of fp16 dynamic");
    expect(panel.textContent).toContain("explorer abc");
    expect(document.activeElement).toBe(panel.querySelector("h4"));
    model.set("_explorer_run", "2");
    model.set("_explorer", "IPY_MODEL_def");
    paint();
    await settle();
    expect(region("Gradients of fp32").textContent).toContain("explorer def");
    expect(removed).toEqual(["abc"]);
    panel.querySelector("button")!.click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "gradients", run: null });
    model.set("_explorer", null);
    paint();
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
    paint();
    await settle();
    expect(region("Gradients of fp16 dynamic").querySelector("code")!.textContent).toBe('mw.LossScaleExplorer(mw.open_run("my/runs/1"))');
    expect(model.sent).toHaveLength(before);
    region("Gradients of fp16 dynamic").querySelector("button")!.click();
    paint();
    if (why === "no manager") expect(region("")?.hidden ?? true).toBe(true);
  });
});

describe("gradient shares", () => {
  const chart = () => page().querySelectorAll("svg[role=img]")[2]!;

  it("draws an area for each class of the run at hand, and says the newest shares", () => {
    const model = labModel({ _live_rows: [row()], _live: { "run-1": curves(2, 1) }, _shown: ["run-1"] });
    show(model);
    expect([...chart().querySelectorAll("path[fill]")].every((path) => path.getAttribute("d")!.startsWith("M"))).toBe(true);
    expect(chart().querySelector("title")!.textContent).toBe(
      "Gradients of fp16 dynamic at step 9: 25.0 % flushed, 25.0 % subnormal, 37.5 % normal, 12.5 % overflow.",
    );
    expect(page().querySelector(".mw-shares-key")!.textContent).toBe("flushed25.0 %subnormal25.0 %normal37.5 %overflow12.5 %");
  });

  it("follows the run that is selected alone, and says when none is counted", () => {
    const model = labModel({ _rows: [over("2", "fp32")], _live_rows: [row({ id: "1" })], _settled: {}, _live: { 1: curves(2, 1) }, _shown: ["1", "2"] });
    show(model);
    expect(page().textContent).toContain("of fp16 dynamic, those that are not zero");
    model.set("_shown", ["2"]);
    paint();
    expect(chart().textContent).toContain("No gradients have been counted.");
    expect(page().querySelector(".mw-shares-key")!.textContent).toBe("flushed–subnormal–normal–overflow–");
  });
});
