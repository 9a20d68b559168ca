// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import { writeFrame } from "#core/frame.ts";
import { curves, labModel, row, stage } from "./training_lab_model.ts";

const { page, show, button, field, box, about, can, type } = stage();

describe("a step under the hand", () => {
  const lab = (changes: Record<string, unknown> = {}) => labModel({
    _rows: [row({ id: "run-1", status: "completed", steps: 10, step: 10 }), row({ id: "run-2", recipe: "fp32", scaled: false, status: "completed", steps: 10, step: 10 })],
    _shown: ["run-1", "run-2"], _settled: writeFrame({ "run-1": curves(4, 2, 1), "run-2": curves(8, 4, 2) }), ...changes,
  });
  const slider = () => page().querySelector<HTMLInputElement>("input[aria-label='step to read']")!;
  const said = () => page().querySelector(".mw-step-said")!.textContent!;

  it("is read from all curves, by keys and under the pointer", () => {
    show(lab());
    expect([slider().value, said().startsWith("step 10 · ")]).toEqual(["10", true]); // the newest, until it is held
    slider().value = "2";
    slider().dispatchEvent(new Event("input"));
    expect(said()).toBe(
      "step 2 · fp16 dynamic: loss 2.000, loss scale 2¹⁶, gradients: flushed 50.0 %, subnormal 25.0 %, normal 25.0 % · " +
      "fp32: loss 4.000, gradients: flushed 50.0 %, subnormal 25.0 %, normal 25.0 %");
    expect(slider().getAttribute("aria-valuetext")).toBe(said());
    expect([...page().querySelectorAll(".mw-cursor")].map((one) => one.getAttribute("d") !== "")).toEqual([true, true, true]);
    page().querySelector(".mw-chart svg")!.dispatchEvent(new MouseEvent("pointermove", { clientX: -9 }));
    expect(slider().value).toBe("0");
    page().querySelector(".mw-chart svg")!.dispatchEvent(new MouseEvent("pointermove", { clientX: 9999 }));
    expect(slider().value).toBe("10");
    page().querySelector(".mw-chart svg")!.dispatchEvent(new MouseEvent("pointerleave"));
    expect([slider().value, page().querySelector(".mw-cursor")!.getAttribute("d") !== ""]).toEqual(["2", true]); // the kept one
    slider().value = "10";
    slider().dispatchEvent(new Event("input"));
    expect(page().querySelector(".mw-cursor")!.getAttribute("d")).toBe(""); // the newest is followed
  });

  it("of a run that changes its recipe has that in force, and a line marks the change", () => {
    const changed = row({ id: "run-1", recipe: "nvfp4 → bf16 (5)", changes: [{ step: 5, recipe: "bf16_moments" }], status: "completed", steps: 10, step: 10 });
    show(lab({ _rows: [changed, row({ id: "run-2", recipe: "fp32", scaled: false, status: "completed", steps: 10, step: 10 })] }));
    for (const [at, inForce] of [["5", ""], ["6", "bf16 moments, "]] as const) {
      slider().value = at;
      slider().dispatchEvent(new Event("input"));
      expect(said()).toContain(`nvfp4 → bf16 (5): ${inForce}loss`);
    }
    const rules = [...page().querySelectorAll(".mw-rules")].map((one) => one.getAttribute("d")!);
    expect(rules.map((rule) => rule.split("M").length - 1)).toEqual([1, 0, 1]); // of both runs in the loss, of one in the loss scale
    const height = page().querySelector(".mw-axis")!.getAttribute("d")!;
    expect(rules[0]).toMatch(/^M[\d.]+,8V186$/);
    expect(height).toContain("8V186");
    expect(page().querySelector(".mw-chart title")!.textContent).toContain("nvfp4 → bf16 (5): bf16 moments after step 5.");
  });

  it("has its gradients opened", () => {
    const model = lab({ _shown: ["run-1"] });
    Object.assign(model, { widget_manager: { get_model: async () => null, create_view: async () => null } });
    show(model);
    slider().value = "7";
    slider().dispatchEvent(new Event("input"));
    button("Open this step’s gradients").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "gradients", run: "run-1", step: 7 });
  });

  it("a logarithmic axis has the powers of ten, and leaves a gap where a loss is 0", () => {
    show(lab({ _settled: writeFrame({ "run-1": curves(100, 10, 0, 1, 1), "run-2": curves() }) }));
    const box = [...page().querySelectorAll("label")].find((one) => one.textContent === "logarithmic loss")!.querySelector("input")!;
    const line = () => page().querySelector(".mw-chart .mw-line")!.getAttribute("d")!;
    expect(line().split("M")).toHaveLength(2);
    box.checked = true;
    box.dispatchEvent(new Event("change"));
    expect(line().split("M")).toHaveLength(3);
    const ticks = [...page().querySelectorAll(".mw-chart .mw-ticks")][0]!.querySelectorAll("text");
    expect([...ticks].map((one) => one.textContent)).toEqual(["1", "10", "100"]);
  });
});

describe("choosing and launching", () => {
  it("sends what is chosen, and explains it", () => {
    const model = labModel();
    show(model);
    const recipe = field("recipe");
    expect(about(recipe)).toBe("Everything in FP32.");
    type(recipe, "fp16_dynamic");
    expect(about(recipe)).toContain("The loss scale starts at 2¹⁶");
    type(field("steps"), "50");
    type(field("seeds"), "7");
    button("Launch").click();
    expect(model.saved.at(-1)).toMatchObject({ recipe: "fp16_dynamic", steps: 50, seed: 7 });
    expect(model.sent.at(-1)).toMatchObject({
      kind: "launch", experiment: { task: "digits_cnn", recipe: "fp16_dynamic", steps: 50, seed: 7 },
    });
  });

  it.each([
    ["steps", "0"], ["steps", "1e12"], ["steps", "abc"], ["steps", ""], ["steps", "10000001"], ["seeds", "-1"],
    ["seeds", "4294967296"], ["seeds", "<img src=x onerror=alert(1)>"],
  ])("tells a wrong %s %j beside its field and sends nothing", (label, text) => {
    const model = labModel();
    show(model);
    const before = model.sent.length;
    type(field(label), text);
    button("Launch").click();
    expect(field(label).getAttribute("aria-invalid")).toBe("true");
    expect(about(field(label))).toMatch(new RegExp(`${label} takes (a whole number|whole numbers) from \\d`));
    expect(page().querySelector("img")).toBeNull();
    expect(model.sent).toHaveLength(before);
    expect(model.saved).toHaveLength(0);
    type(field(label), "5");
    expect(field(label).hasAttribute("aria-invalid")).toBe(false);
    expect(about(field(label))).not.toContain("takes");
  });

  it("launches one run for each of several recipes and seeds, and says how many", () => {
    const model = labModel({ recipe: ["fp32", "fp16_dynamic"], seed: [0, 1, 2] });
    show(model);
    expect(field("seeds").value).toBe("0-2");
    expect(button("Launch").textContent).toBe("▶ Launch 6 runs");
    expect(page().textContent).toContain("2 recipes × 3 seeds");
    type(field("recipe"), "fp32");
    expect(page().textContent).toContain("1 recipe × 3 seeds");
    model.set("recipe", ["fp32", "fp16_dynamic"]);
    button("Launch").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "launch", experiment: { recipe: ["fp32", "fp16_dynamic"], seed: [0, 1, 2], device: "auto" } });
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    type(field("seeds"), "4");
    type(field("recipe"), "fp32");
    type(field("device"), "cpu");
    expect(button("Launch").textContent).toBe("▶ Launch");
    expect(about(field("device"))).toBe("one thread a run");
    button("Launch").click();
    expect(model.sent.at(-1)).toMatchObject({ experiment: { recipe: "fp32", seed: 4, device: "cpu" } });
    expect(model.saved.at(-1)).toMatchObject({ recipe: "fp32", seed: 4, device: "cpu" });
  });

  it("names a GPU, in the menu and under it", () => {
    show(labModel({ device: "cuda:0", _devices: [{ name: "auto", about: "" }, { name: "cuda:0", about: "Tesla T4, 15 GiB" }, { name: "cuda:1", about: "" }] }));
    const device = field("device") as HTMLElement as HTMLSelectElement;
    const note = () => document.getElementById(device.getAttribute("aria-describedby")!)!.textContent;
    expect([...device.options].map(({ text }) => text)).toEqual(["auto", "cuda:0 · Tesla T4, 15 GiB", "cuda:1"]);
    expect(note()).toBe("Tesla T4, 15 GiB");
    type(device, "cuda:1");
    expect(note()).toBe("one run at a time");
    type(device, "auto");
    expect(note()).toBe("GPU, else CPU");
  });

  it("unfolds boxes for several recipes, each with its words, of which one stays ticked", () => {
    const model = labModel();
    show(model);
    const several = button("several");
    const list = page().querySelector<HTMLElement>(`#${several.getAttribute("aria-controls")}`)!;
    expect(list.hidden).toBe(true);
    several.click();
    expect([several.getAttribute("aria-expanded"), list.hidden]).toEqual(["true", false]);
    expect([...list.querySelectorAll("legend")].map((one) => one.textContent)).toEqual(["FP32", "FP16"]);
    const [plain, half] = [box("fp32", ".mw-recipes"), box("fp16 dynamic", ".mw-recipes")];
    expect(about(half)).toBe("FP16 copies of FP32 weights, loss scale that adapts");
    half.click();
    expect(model.get("recipe")).toEqual(["fp32", "fp16_dynamic"]);
    expect(field("recipe").value).toBe("");
    expect(field("recipe").querySelector("option")!.textContent).toBe("2 recipes");
    expect(field("recipe").querySelector("option")!.disabled).toBe(true); // typing its first letter does not choose it
    plain.click();
    expect(model.get("recipe")).toBe("fp16_dynamic");
    expect(field("recipe").value).toBe("fp16_dynamic");
    half.click();
    expect(half.checked).toBe(true);
    expect(model.get("recipe")).toBe("fp16_dynamic");
    expect(page().textContent).toContain("A launch needs at least one recipe");
    half.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(list.hidden).toBe(true);
    expect(document.activeElement).toBe(several);
  });

  it("sets what departs from the task's defaults, and says so", () => {
    const model = labModel();
    show(model);
    const summary = page().querySelector(".mw-lab-settings summary")!;
    expect(summary.textContent).toBe("More settings: the task’s defaults");
    expect(about(field("loss weight"))).toBe("A factor in the loss.");
    type(field("loss weight"), "0x1p-7");
    type(field("eps"), "1e-12");
    expect(model.get("settings")).toBe("loss_weight=0.0078125, eps=1e-12");
    expect(summary.textContent).toBe("More settings: loss weight 0.0078125; eps 1e-12");
    button("Launch").click();
    expect(model.sent.at(-1)).toMatchObject({ experiment: { settings: "loss_weight=0.0078125, eps=1e-12" } });
    type(field("loss weight"), "1");
    expect(model.get("settings")).toBe("eps=1e-12");
    expect(field("momentum").closest<HTMLElement>(".mw-field")!.hidden).toBe(true);
    type(field("optimiser"), "sgd");
    expect(model.get("settings")).toBe("optimizer=sgd");
    expect(field("momentum").closest<HTMLElement>(".mw-field")!.hidden).toBe(false);
    type(field("schedule"), "cosine");
    expect(model.get("settings")).toBe("optimizer=sgd, schedule=cosine");
    expect(summary.textContent).toBe("More settings: optimiser sgd; schedule like a cosine");
    expect([field("optimiser").value, field("schedule").value]).toEqual(["sgd", "cosine"]);
    type(field("schedule"), "constant");
    expect(model.get("settings")).toBe("optimizer=sgd");
    model.receive({ settings: "loss_weight=1e-05" });
    expect(field("loss weight").value).toBe("1e-5");
    expect(field("optimiser").value).toBe("adam");
  });

  it.each([
    ["loss weight", "0", "a number above 0; got “0”"], ["loss weight", "nan", "above 0"], ["loss weight", "", "got nothing"],
    ["size", "1.5", "a whole number from 1 to 64"], ["size", "65", "a whole number"], ["eps", "<b>", "above 0; got “<b>”"],
  ])("does not launch with a %s of %j", (name, text, words) => {
    const model = labModel();
    show(model);
    type(field(name), text);
    expect(about(field(name))).toContain(words);
    button("Launch").click();
    expect(model.sent.filter(({ kind }) => kind === "launch")).toEqual([]);
    expect(document.activeElement).toBe(field(name));
    expect(page().querySelector<HTMLDetailsElement>(".mw-lab-settings")!.open).toBe(true);
    expect(model.get("settings")).toBe("");
  });

  it("takes a scenario as a whole, in one message, and asks its question, which it does not answer", () => {
    const model = labModel();
    show(model);
    const callout = page().querySelector<HTMLElement>(".mw-verdict")!;
    expect(field("scenario").value).toBe("");
    expect(callout.hidden).toBe(true);
    type(field("scenario"), "1");
    expect(model.saved).toHaveLength(1);
    expect(model.saved[0]).toMatchObject({ task: "mask", recipe: ["fp32", "fp16_dynamic"], steps: 250, settings: "loss_weight=1e-05, eps=1e-12" });
    expect([callout.hidden, callout.textContent]).toEqual([false, "Who learns?"]);
    expect(page().textContent).not.toContain("The loss hardly moves.");
    expect(button("Launch").textContent).toBe("▶ Launch 2 runs");
    type(field("loss weight"), "1e-6");
    expect([field("scenario").value, callout.hidden]).toEqual(["", true]);
    type(field("loss weight"), "1e-5");
    expect(field("scenario").value).toBe("1");
  });

  it("leaves behind the settings that another task does not have", () => {
    const model = labModel({ settings: "size=2, loss_weight=1e-05" });
    show(model);
    type(field("task"), "mask");
    expect(model.saved).toHaveLength(1);
    expect(model.get("settings")).toBe("loss_weight=1e-05");
  });

  it("keeps the focus on a button that cannot be used for now", () => {
    const model = labModel();
    show(model);
    button("Launch").focus();
    button("Launch").click();
    expect(document.activeElement).toBe(button("Launch"));
    const sent = model.sent.length;
    button("Launch").click();
    expect(model.sent).toHaveLength(sent);
    expect(button("Launch").title).toBe("Sent to the kernel.");
  });

  it("says in a saved page that there is no kernel, at once and for good", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const model = labModel();
    show(model);
    button("Launch").click();
    model.sent.length = 0;
    model.answer({ kind: "no_kernel" });
    vi.advanceTimersByTime(10_000);
    for (const name of ["Launch", "Stop", "Stop all"]) expect(button(name).title).toContain("no kernel");
    button("Launch").click();
    expect(model.sent.filter(({ kind }) => kind === "launch")).toEqual([]);
    expect(page().textContent).toContain("A saved page");
    expect(page().textContent).not.toContain("has not answered");
  });

  it("waits for the kernel's answer, and shows its refusal as text", () => {
    const model = labModel();
    show(model);
    button("Launch").click();
    expect(can(button("Launch"))).toBe(false);
    const { request } = model.sent.at(-1)!;
    model.answer({ kind: "refused", request: "of another view", message: "not mine" });
    expect(can(button("Launch"))).toBe(false);
    model.answer({ kind: "refused", request, message: "The folder <b>x</b> cannot be written" });
    expect(can(button("Launch"))).toBe(true);
    expect(page().querySelector("p.mw-error[role=alert]")!.textContent).toBe("The folder <b>x</b> cannot be written");
    button("Launch").click();
    expect(page().querySelector("p.mw-error[role=alert]")).toBeNull();
  });

  it("says so when no answer comes, and does not hang", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const model = labModel();
    show(model);
    button("Launch").click();
    vi.advanceTimersByTime(10_000);
    expect(can(button("Launch"))).toBe(true);
    expect(page().textContent).toContain("The kernel has not answered yet");
    model.answer({ kind: "done", request: model.sent.findLast(({ kind }) => kind === "launch")!.request });
    expect(page().textContent).not.toContain("The kernel has not answered yet");
  });

  it("survives answers that are none", () => {
    const model = labModel();
    show(model);
    button("Launch").click();
    for (const answer of [null, undefined, 5, "x", [], {}, { kind: "refused" }]) model.answer(answer);
    expect(can(button("Launch"))).toBe(false);
  });

  it("follows the kernel's choice", () => {
    const model = labModel();
    show(model);
    type(field("steps"), "abc");
    model.set("steps", 20);
    expect(field("steps").value).toBe("20");
    expect(field("steps").hasAttribute("aria-invalid")).toBe(false);
  });
});

describe("watching and stopping", () => {
  const running = () => labModel({ _rows: [row()], _live: writeFrame({ "run-1": curves(2, 1) }), _shown: ["run-1"] });

  it("shows progress, place, table and curves, each with words", () => {
    show(running());
    expect(page().textContent).toContain("step 213 of 300 · 141 steps/s · 0.6 s left");
    expect(page().textContent).toContain("CPU, one thread · FP16 storage");
    expect(page().querySelector("progress")!.value).toBeCloseTo(213 / 300);
    const cells = [...page().querySelectorAll("tbody td")].map((cell) => cell.textContent);
    expect(cells).toEqual(["97.2 %", "0.100", "18.2 %"]);
    const [loss, scale] = [...page().querySelectorAll("svg[role=img]")];
    expect(loss!.querySelector("title")!.textContent).toBe("Loss by step. fp16 dynamic: from 2.000 to 0.250 at step 213.");
    expect(scale!.querySelector("title")!.textContent).toContain("fp16 dynamic: 2¹⁵, 2 skipped.");
    expect(scale!.querySelector(".mw-marks")!.getAttribute("d")).toMatch(/^M/);
  });

  it("has a column for what was flushed where that is known, else for the skipped steps", () => {
    const model = running();
    show(model);
    const last = () => [...page().querySelectorAll("tr")].map((line) => line.lastElementChild!.textContent);
    expect(last()).toEqual(["flushed", "18.2 %"]);
    model.set("_rows", [row({ flushed: null }), row({ id: "run-0", flushed: null, scaled: false, skipped: 0 })]);
    expect(last()).toEqual(["skipped", "2", "–"]);
    expect(page().querySelector(".mw-run-detail")!.textContent).toBe("seed 0 · running");
  });

  it("shows a watched loop, whose seed and steps to come are not known", () => {
    show(labModel({ _rows: [row({ seed: null, steps: null })] }));
    expect(page().textContent).toContain("a training loop of your own, watched · running");
    expect(page().querySelector("progress")!.value).toBe(0);
    expect(page().textContent).not.toMatch(/null|NaN|undefined/);
    expect(button("Stop").title).toBe("A watched loop is stopped where it runs.");
    expect(can(button("Stop all"))).toBe(false);
  });

  it("names a loss weight, which scales the whole curve", () => {
    show(labModel({ _rows: [row({ loss_weight: 1e-5, seed: 4, status: "completed" })] }));
    expect(page().querySelector(".mw-run-detail")!.textContent).toBe("seed 4 · loss weight 1e−5 · completed · 2 skipped");
  });

  it("stops the newest run that goes on, and only then", () => {
    const model = running();
    model.set("_rows", [row({ id: "run-2", status: "completed" }), row()]);
    show(model);
    button("Stop").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop", run: "run-1" });
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    model.set("_rows", [row({ status: "stopped" })]);
    expect(can(button("Stop"))).toBe(false);
  });

  it("names the run that progress is about when several go on", () => {
    const model = running();
    model.set("_shown", []);
    show(model);
    expect(page().querySelector(".mw-progress-text")!.textContent).toMatch(/^step 213/);
    model.set("_rows", [row({ id: "run-2", recipe: "bf16" }), row()]);
    expect(page().querySelector(".mw-progress-text")!.textContent).toMatch(/^bf16: step 213/);
  });

  it("draws what the kernel sends together once, and keeps the elements that stay", async () => {
    const model = running();
    show(model);
    const line = page().querySelector(".mw-chart .mw-line")!;
    const drawn: unknown[] = [];
    const observer = new MutationObserver((changes) => drawn.push(...changes));
    observer.observe(line, { attributeFilter: ["d"] });
    for (let step = 214; step < 220; step += 1) {
      model.receive({ _rows: [row({ step })], _live: writeFrame({ "run-1": curves(2, 1, step / 100) }), _notice: `at ${step}` });
    }
    await Promise.resolve();
    observer.disconnect();
    expect(page().querySelector(".mw-chart .mw-line")).toBe(line);
    expect(drawn).toHaveLength(6);
    expect(page().textContent).toContain("step 219 of 300");
  });

  it("shows and hides a run by its checkbox, without the kernel", () => {
    const model = running();
    model.set("_rows", [row({ id: "run-2", recipe: "fp32", scaled: false, status: "completed" }), row()]);
    model.set("_settled", writeFrame({ "run-2": curves(3, 2, 1) }));
    show(model);
    expect(page().querySelectorAll("svg[role=img]")[0]!.querySelectorAll("path.mw-line")).toHaveLength(1);
    box("fp32").click();
    expect(model.get("_shown")).toEqual(["run-1", "run-2"]);
    const groups = [...page().querySelectorAll("svg[role=img]")[0]!.querySelectorAll("g.mw-run")];
    expect(groups.map((group) => group.getAttribute("class"))).toEqual(["mw-run mw-run-0", "mw-run mw-run-1"]);
    box("fp32").click();
    expect(model.get("_shown")).toEqual(["run-1"]);
    expect(page().querySelectorAll("svg[role=img]")[0]!.querySelectorAll("g.mw-run")).toHaveLength(1);
  });

  it("names the GPU that a run computes on", () => {
    show(labModel({ _rows: [row({ device: "cuda:1", device_name: "NVIDIA H200, 140 GiB", backend: "native float16 products" })] }));
    expect(page().textContent).toContain("GPU cuda:1 · NVIDIA H200, 140 GiB · ");
  });

  it("tells a failed run in words, as text", () => {
    const payload = "<img src=x onerror=alert(1)></script>";
    show(labModel({ _rows: [row({ status: "crashed", message: payload, backend: payload, device: payload, device_name: payload, recipe: payload })], _shown: ["run-1"] }));
    expect(page().querySelector(".mw-progress .mw-callout")!.textContent).toContain(`crashed. ${payload}`);
    expect(page().querySelector("img")).toBeNull();
  });

  it("speaks of news only, and not at every step", () => {
    const model = running();
    show(model);
    const spoken = page().querySelector("section > [aria-live=polite]")!;
    expect(spoken.textContent).toBe("");
    model.set("_rows", [row({ step: 214 })]);
    expect(spoken.textContent).toBe("");
    model.set("_rows", [row({ step: 300, status: "completed" })]);
    expect(spoken.textContent).toBe("fp16 dynamic: completed");
  });

  it("says when there is nothing to see", () => {
    show(labModel({ _notice: "One run could not be read." }));
    expect(page().textContent).toContain("No runs yet.");
    expect(page().textContent).toContain("One run could not be read.");
    expect(can(button("Stop"))).toBe(false);
  });

  it("leaves nothing behind", () => {
    const model = running();
    const cleanup = show(model);
    model.set("_rows", []);
    cleanup();
    expect(model.listening()).toBe(0);
    expect(page().childElementCount).toBe(0);
  });
});

describe("a recipe of one's own", () => {
  const FORM = [
    { name: "compute_format", group: "recipe", title: "compute format", about: "What it is.", needs: {}, default: "float32", choices: { float32: "float32", float16: "float16", bfloat16: "bfloat16" } },
    { name: "master_weights", group: "recipe", title: "master weights", about: "FP32 weights.", needs: { compute_format: ["float16", "bfloat16"] }, default: true, is_yes_or_no: true },
    { name: "loss_scale.init_scale", group: "loss scale", title: "init scale", about: "What it is.", needs: {}, default: 1, whole: false, low: 1e-45, high: 3.4e38, optional: false },
    { name: "loss_scale.max_scale", group: "loss scale", title: "max scale", about: "What it is.", needs: {}, default: null, whole: false, low: 1e-45, high: 3.4e38, optional: true },
    { name: "operands.scale_rule", group: "operands", title: "scale rule", about: "What it is.", needs: {}, default: null, choices: { "": "the format’s own", CEIL: "CEIL" }, optional: true },
    { name: "operands.keep_wide", group: "operands", title: "keep wide", about: "What it is.", needs: { master_weights: [false] }, default: "", is_text: true },
  ];
  const VALUES = { compute_format: "float16", master_weights: true, "loss_scale.init_scale": 1024, "loss_scale.max_scale": null, "operands.scale_rule": null, "operands.keep_wide": "head, blocks.0.*" };
  const preset = { name: "fp32", heading: "FP32", brief: "", description: "Everything in FP32.", values: { ...VALUES, compute_format: "float32", "loss_scale.init_scale": 1, "operands.keep_wide": "" }, is_own: false };
  const own = (values: object, name = "mine") => ({ name, heading: "own", brief: "", description: "Of one’s own.", values, is_own: true });
  const lab = () => labModel({ _recipe_form: FORM, _recipes: [preset] });
  const alerts = () => [...page().querySelectorAll(".mw-recipe-editor [role=alert]")].map((one) => one.textContent).join("");
  const keep = (model: ReturnType<typeof labModel>) => {
    button("Keep").click();
    return model.sent.at(-1) as unknown as { kind: string; request: string };
  };

  it("is edited from the one that is chosen, and kept under a name", () => {
    const model = lab();
    show(model);
    expect([field("compute format").value, box("master weights", ".mw-recipe-editor").checked, field("init scale").value, field("max scale").value]).toEqual(["float32", true, "1", ""]);
    type(field("compute format"), "float16");
    type(field("init scale"), "2^10");
    type(field("keep wide"), "head, blocks.0.*");
    type(field("name"), "mine");
    expect(field("scale rule").value).toBe(""); // the format's own
    expect(keep(model)).toMatchObject({ kind: "keep_recipe", name: "mine", recipe: VALUES });
    model.receive({ _recipes: [preset, own(VALUES)], recipe: "mine" });
    expect([field("recipe").value, about(field("recipe"))]).toEqual(["mine", "Of one’s own."]);
    expect(page().querySelector(".mw-recipe-editor [role=status]")!.textContent).toBe("Kept and chosen: mine.");
    expect([field("name").value, field("init scale").value, field("keep wide").value]).toEqual(["mine", "1024", "head, blocks.0.*"]);
    model.answer({ kind: "done", request: (model.sent.at(-1) as unknown as { request: string }).request });
    button("Remove").focus();
    button("Remove").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "drop_recipe", name: "mine" });
    model.receive({ _recipes: [preset], recipe: "fp32" });
    expect(button("Remove").hidden).toBe(true);
    expect(document.activeElement).toBe(field("name")); // the button is gone
    expect([...(field("recipe") as unknown as HTMLSelectElement).options].map(({ value }) => value)).toEqual(["", "fp32"]);
  });

  it("says what a field is, and why it has no effect now", () => {
    show(lab());
    const words = (name: string) => [...(name === "master weights" ? box(name, ".mw-recipe-editor") : field(name)).getAttribute("aria-describedby")!.split(" ")]
      .map((id) => document.getElementById(id)!.textContent).filter(Boolean);
    expect(words("master weights")).toEqual(["FP32 weights.", "No effect unless “compute format” is float16, bfloat16."]);
    expect(words("keep wide").at(-1)).toBe("No effect unless “master weights” is off.");
    expect(words("compute format")).toEqual(["What it is."]);
    type(field("compute format"), "bfloat16");
    expect(words("master weights")).toEqual(["FP32 weights."]);
    box("master weights", ".mw-recipe-editor").click();
    expect(words("keep wide")).toEqual(["What it is."]);
    expect(page().querySelectorAll(".mw-recipe-editor [data-idle]")).toHaveLength(0);
  });

  it("loses nothing to a refusal, which stands in the form", () => {
    const model = lab();
    show(model);
    type(field("max scale"), "8");
    type(field("scale rule"), "CEIL");
    const { request } = keep(model);
    expect(model.sent.at(-1)).toMatchObject({ recipe: { "loss_scale.max_scale": 8, "operands.scale_rule": "CEIL" } });
    model.answer({ kind: "refused", request, message: "max_scale is about <b>a scale</b> that moves" });
    expect(alerts()).toBe("max_scale is about <b>a scale</b> that moves");
    expect(field("max scale").value).toBe("8");
    model.receive({ steps: 7 }); // and to news of the kernel
    expect([field("max scale").value, alerts() !== ""]).toEqual(["8", true]);
  });

  it("is not sent while a number is none", () => {
    const model = lab();
    show(model);
    type(field("init scale"), "much");
    button("Keep").click();
    expect(model.sent.filter(({ kind }) => kind === "keep_recipe")).toEqual([]);
    expect(document.activeElement).toBe(field("init scale"));
    expect(alerts()).toContain("init scale takes a number");
  });
});
