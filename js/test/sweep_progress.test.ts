// @vitest-environment jsdom
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type NumberArray, writeFrame } from "#core/frame.ts";
import type { EndedRun } from "#mixwidgets/runs/widgets/sweep_progress/grid.ts";
import widget from "#mixwidgets/runs/widgets/sweep_progress/page.ts";
import { fakeModel } from "./fake_model.ts";
import { float32 } from "./frames.ts";

const bands = (...rows: NumberArray[]) => writeFrame(Object.fromEntries(rows.entries()));

beforeAll(() => void vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} }));

const sweepModel = (changes: Record<string, unknown> = {}) =>
  fakeModel({ _counts: { done: 3, running: 2, waiting: 3, failed: 0, stopped: 0 }, _failures: [], _grid: {}, _words: [], _runs: {}, _bands: writeFrame({}), _is_over: false, ...changes });

function show(model: ReturnType<typeof sweepModel>) {
  const el = document.body.appendChild(document.createElement("div"));
  const cleanup = widget.render({ model, el } as never);
  return { el, cleanup, bar: el.querySelector("progress")!, stop: el.querySelector("button")! };
}
const painted = () => new Promise((done) => requestAnimationFrame(done));

describe("the grid", () => {
  const over = (accuracy: number) => ({ path: `runs/${accuracy}`, status: "completed", metrics: { loss: 1, accuracy } });
  const twoRows = () => sweepModel({
    _grid: { seeds: [0, 1], rows: [{ name: "a", cells: [0, 1] }, { name: "<b>", cells: [2, null] }] },
    _words: ["running", "waiting", "waiting"],
  });

  it("fills as cells end, with the mean and the spread of each row", () => {
    const model = twoRows();
    const { el } = show(model);
    const cells = () => [...el.querySelectorAll("button.mw-sweep-cell")].map((cell) => cell.getAttribute("aria-label"));
    expect(cells()).toEqual(["a, seed 0: running", "a, seed 1: waiting", "<b>, seed 0: waiting"]);
    model.set("_words", ["done", "done", "failed"]);
    model.set("_runs", { 0: over(0.5), 1: over(0.75) });
    expect(cells()).toEqual(["a, seed 0: done", "a, seed 1: done", "<b>, seed 0: failed"]);
    expect(el.querySelector(".mw-sweep-result")!.textContent).toBe("62.5 %, from 50.0 % to 75.0 % (2 seeds)");
    expect(el.querySelectorAll(".mw-sweep-seed")).toHaveLength(2);
    expect(el.querySelectorAll("thead th")[3]!.textContent).toContain("accuracy");
  });

  it.each(["stopped", "failed"])("leaves the metrics of a run that %s before its end out of the mean", (word) => {
    const model = twoRows();
    const { el } = show(model);
    model.set("_words", ["done", word, "waiting"]);
    model.set("_runs", { 0: over(0.75), 1: { ...over(0.1), status: word } });
    expect(el.querySelector(".mw-sweep-result")!.textContent).toBe("75.0 % (1 seed)");
    expect(el.querySelectorAll(".mw-sweep-seed")).toHaveLength(1);
  });

  it("opens the run of a cell that is clicked, in words and as a line of code", () => {
    const model = twoRows();
    const { el } = show(model);
    model.set("_runs", { 1: over(0.75) });
    const callout = el.querySelector<HTMLElement>(".mw-callout")!;
    expect(callout.hidden).toBe(true);
    el.querySelectorAll<HTMLButtonElement>("button.mw-sweep-cell")[1]!.click();
    expect([callout.hidden, callout.querySelector("p")!.textContent]).toEqual([false, "a · seed 1 · completed · loss 1.000 · accuracy 75.0 %"]);
    expect(callout.querySelector("code")!.textContent).toBe('mw.open_run("runs/0.75")');
  });
});

describe("the answer", () => {
  const run = (metrics: Record<string, number>, status = "completed") => ({ path: "runs/1", status, metrics });
  /** What is said of settings a, b, … with these runs; of a number the accuracy. */
  function said(settings: readonly (readonly (number | EndedRun)[])[], { isOver = true, words = "done" } = {}) {
    const runs = settings.flat().map((one) => (typeof one === "number" ? run({ loss: 1, accuracy: one }) : one));
    let place = 0;
    const { el } = show(sweepModel({
      _grid: { seeds: [0, 1, 2], rows: settings.map((some, i) => ({ name: "abcdef"[i]!, cells: some.map(() => place++) })) },
      _words: runs.map(() => words), _runs: Object.fromEntries(runs.entries()), _is_over: isOver,
    }));
    const [lead, rest] = [...el.querySelectorAll(".mw-sweep-says p")].map((one) => one.textContent);
    return { lead, rest, best: [...el.querySelectorAll("[data-best]")].map((one) => one.textContent), el };
  }
  const diverged = run({ loss: 0.001, accuracy: 0.999 }, "diverged");

  it("names the setting with the highest accuracy or the lowest loss, and whether its seeds stay apart", () => {
    const { lead, rest, best } = said([[0.5, 0.7], [0.8, 0.9]]);
    expect([lead, rest, best]).toEqual(["b ends with the highest accuracy: 85.0 %, from 80.0 % to 90.0 % (2 seeds).", "Its seeds stay apart from those of all other settings.", ["b"]]);
    expect(said([[0.5, 0.85], [0.8, 0.9], [0.1, 0.2]]).rest).toBe("Its range overlaps with that of a, so seeds alone may make the difference.");
    const losses = said([[run({ loss: 0.5 })], [run({ loss: 0.25 })]]);
    expect([losses.lead, losses.rest]).toEqual(["b ends with the lowest loss: 0.250 (1 seed).", "With one seed each, the difference may be chance."]);
  });

  it("says so while runs are missing, and where settings are alike", () => {
    expect(said([[0.5], [0.8]], { isOver: false }).lead).toBe("So far b has the highest accuracy: 80.0 % (1 seed).");
    expect(said([[0.5], [0.8]], { words: "running" }).lead).toBe("No run is over yet.");
    expect(said([[0.5], [0.5], [0.4]])).toMatchObject({ lead: "a, b have the same accuracy: 50.0 % (1 seed).", rest: "" });
    expect(said([[0.5, 0.7]])).toMatchObject({ lead: "Only a has results: accuracy 60.0 %, from 50.0 % to 70.0 % (2 seeds).", best: [] });
  });

  it("never calls a setting the best one of whose results is not finite", () => {
    for (const lost of [diverged, run({ loss: 0.001 })]) { // the kernel leaves out what is not finite
      const { lead, rest, best, el } = said([[0.99, 0.98, lost], [0.6, 0.7], [0.5, 0.55]]);
      expect([lead, best]).toEqual(["b ends with the highest accuracy: 65.0 %, from 60.0 % to 70.0 % (2 seeds).", ["b"]]);
      expect(rest).toContain("Not compared, because a result is not finite: a.");
      const row = el.querySelector(".mw-sweep-result")!;
      expect(row.textContent).toBe("no mean: 1 of 3 results not finite");
      expect([row.querySelectorAll(".mw-sweep-seed").length, row.querySelectorAll(".mw-sweep-mean").length]).toEqual([2, 0]);
    }
    expect(said([[diverged], [diverged]])).toMatchObject({ lead: "No setting has finite results alone, so none is the best.", best: [] });
    expect(said([[diverged], [0.2]])).toMatchObject({ lead: "Only b has results: accuracy 20.0 % (1 seed).", best: [] });
  });

  it("does not guess whether a user's own metric should be high", () => {
    expect(said([[run({ loss: 1, speed: 3 })], [run({ loss: 2, speed: 4 })]])).toMatchObject({ lead: "Whether a high or a low speed is better is not known here.", best: [] });
  });

  it("draws all results on one axis", () => {
    const { el } = said([[0.5, 0.7], [0.5, 0.9], [0.2]]);
    const rows = [...el.querySelectorAll(".mw-sweep-result")].map((row) => ({
      seeds: [...row.querySelectorAll(".mw-sweep-seed")].map((one) => Number(one.getAttribute("cx"))),
      lines: [...row.querySelectorAll(".mw-grid line")].map((one) => one.getAttribute("x1")),
    }));
    expect(rows[0]!.seeds[0]).toBe(rows[1]!.seeds[0]);
    expect(rows.map(({ lines }) => lines)).toEqual([rows[0]!.lines, rows[0]!.lines, rows[0]!.lines]);
    const ticks = [...el.querySelectorAll(".mw-sweep-axis text")].map((one) => [parseFloat(one.textContent!) / 100, Number(one.getAttribute("x"))] as const);
    expect(ticks.length).toBeGreaterThan(1);
    const [[v0, x0], [v1, x1]] = [ticks[0]!, ticks.at(-1)!];
    expect(rows[1]!.seeds[1]).toBeCloseTo(x0 + ((0.9 - v0) / (v1 - v0)) * (x1 - x0), 0);
  });
});

describe("a cell that is not done", () => {
  it.each([
    ["waiting", "It waits for a worker. Cells running: 1; others waiting: 0."], ["running", "It is running"],
    ["stopped", "It was stopped"], ["failed", "It failed: <b>out of memory"],
  ])("says what stands in its way: %s", (word, sentence) => {
    const { el } = show(sweepModel({
      _grid: { seeds: [0, 1], rows: [{ name: "a", cells: [0, 1] }] }, _words: [word, "running"], _failures: [{ place: 0, name: "a, seed 0", why: "<b>out of memory" }],
    }));
    el.querySelector<HTMLButtonElement>("button.mw-sweep-cell")!.click();
    const callout = el.querySelector<HTMLElement>(".mw-callout")!;
    expect([callout.hidden, callout.querySelector("code")!.hasAttribute("hidden")]).toEqual([false, true]);
    expect(callout.textContent).toContain(`a · seed 0${sentence}`);
  });

  it("says so as its state changes", () => {
    const model = sweepModel({ _grid: { seeds: [0], rows: [{ name: "a", cells: [0] }] }, _words: ["waiting"] });
    const { el } = show(model);
    el.querySelector<HTMLButtonElement>("button.mw-sweep-cell")!.click();
    model.set("_words", ["running"]);
    expect(el.querySelector(".mw-callout")!.textContent).toContain("It is running");
  });
});

describe("the losses", () => {
  const grid = { seeds: [0, 1], rows: [{ name: "a", cells: [0, 1] }, { name: "<b>", cells: [2, 3] }] };

  it("are drawn as a band for each setting that has runs", () => {
    const model = sweepModel({ _grid: grid, _bands: bands(float32([]), float32([])) });
    const { el } = show(model);
    const charts = el.querySelector<HTMLElement>(".mw-charts")!;
    expect(charts.hidden).toBe(true);
    model.set("_bands", bands(float32([[1, 2, 1, 3], [2, 1, 0.5, 1.5]]), float32([])));
    expect([charts.hidden, el.querySelectorAll(".mw-band").length]).toEqual([false, 1]);
    expect(el.querySelector(".mw-band")!.getAttribute("d")).toMatch(/^M.*L.*L.*L.*Z$/);
    expect(el.querySelector("svg[role=img] title")!.textContent).toBe("Loss by step, at the end: a: 1.000, from 0.500 to 1.500");
    model.set("_bands", bands(float32([[1, 2, 1, 3], [2, 1, 0.5, 1.5]]), float32([[1, NaN, 1, 1]])));
    expect(el.querySelector(".mw-step-said")!.textContent).toBe(
      "step 2 · a: 1.000, from 0.500 to 1.500 · <b>: no mean, since a seed has no finite loss there");
  });

  it("say of how many settings they are, where they are not of all", () => {
    const model = sweepModel({ _grid: grid }); // no band has been sent yet
    const { el } = show(model);
    const note = el.querySelector(".mw-chart-note")!;
    model.set("_bands", bands(float32([[1, 2, 1, 3]]), float32([[1, 2, 1, 3]])));
    expect(note.textContent).not.toContain("first");
    model.set("_bands", bands(float32([[1, 2, 1, 3]])));
    expect(note.textContent).toContain("(the first 1 settings)");
  });
});

it("asks on the stage which setting is best, and hides what it shows", () => {
  const model = sweepModel({ _grid: { seeds: [0], rows: [{ name: "a", cells: [0] }, { name: "b", cells: [1] }] } });
  const { el } = show(model);
  el.querySelector<HTMLElement>(".mw-stage-button")!.click();
  const root = el.querySelector(".mw-sweep")!;
  expect(el.querySelector(".mw-stage-question")!.textContent).toContain("Which setting ends best");
  expect(root.hasAttribute("data-asks")).toBe(true);
});

it("has a table of its runs", () => {
  const run = { path: "runs/1", status: "diverged", metrics: { accuracy: 0.5 } };
  const { el } = show(sweepModel({ _grid: { seeds: [4], rows: [{ name: "a", cells: [0] }, { name: "b", cells: [1] }] }, _words: ["waiting", "done"], _runs: { 1: run } }));
  const details = el.querySelector("details")!;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  const lines = [...details.querySelectorAll("tr")].map((line) => [...line.children].map((one) => one.textContent));
  expect(lines).toEqual([["setting", "seed", "state", "accuracy"], ["a", "4", "waiting", "–"], ["b", "4", "diverged", "50.0 %"]]);
});

describe("what it shows", () => {
  it("counts in words and as a bar of the finished cells", async () => {
    const model = sweepModel();
    const { el, bar } = show(model);
    expect([bar.value, bar.max]).toEqual([3, 8]);
    expect(el.textContent).toContain("3 of 8 done · 2 running · 3 waiting");
    expect(el.textContent).not.toContain("failed");
    model.set("_counts", { done: 5, running: 1, waiting: 0, failed: 2, stopped: 0 });
    await painted();
    expect([bar.value, bar.max]).toEqual([7, 8]);
    expect(el.textContent).toContain("5 of 8 done · 1 running · 2 failed");
  });

  it("names failed cells with their reason, as text", () => {
    const why = "<img src=x onerror=alert(1)>";
    const { el } = show(sweepModel({ _counts: { done: 0, failed: 5 }, _failures: [{ name: "seed 3", why }, { name: why, why: "x" }] }));
    const items = [...el.querySelectorAll("li")].map((item) => item.textContent);
    expect(items).toEqual([`seed 3${why}`, `${why}x`]);
    expect(el.querySelector("img")).toBeNull();
    expect(el.textContent).toContain("and 3 more");
  });

  it("says how to go on where not all is done, and nothing where it is", () => {
    const over = show(sweepModel({ _counts: { done: 1, failed: 1 }, _is_over: true }));
    expect(over.el.textContent).toContain("Run the same line again to complete what is missing");
    const whole = show(sweepModel({ _counts: { done: 2 }, _is_over: true }));
    expect(whole.el.textContent).not.toContain("again");
    const none = show(sweepModel({ _counts: { done: 0 }, _is_over: true }));
    expect(none.el.textContent).toContain("nothing to do");
    expect(none.bar.value).toBe(none.bar.max);
  });
});

describe("stopping", () => {
  it("asks the kernel once, and tells what it says against it", () => {
    const model = sweepModel();
    const { el, stop } = show(model);
    stop.click();
    const asked = model.sent.filter(({ kind }) => kind === "stop");
    expect(asked).toHaveLength(1);
    expect(stop.title).toContain("Sent to the kernel");
    stop.click();
    expect(model.sent.filter(({ kind }) => kind === "stop")).toHaveLength(1);
    model.answer({ kind: "refused", request: asked[0]!["request"], message: "it goes on" });
    expect(el.querySelector(".mw-error")!.textContent).toBe("it goes on");
    expect(stop.hasAttribute("aria-disabled")).toBe(false);
  });

  it("says so where the kernel does not answer, and where there is none", () => {
    vi.useFakeTimers();
    const model = sweepModel();
    const { el, stop } = show(model);
    stop.click();
    vi.advanceTimersByTime(5000);
    expect(el.textContent).toContain("The kernel has not answered yet");
    model.answer({ kind: "no_kernel" });
    expect(el.textContent).toContain("A saved page");
    expect(stop.getAttribute("aria-disabled")).toBe("true");
    vi.useRealTimers();
  });

  it("cannot be asked of a sweep that is over", () => {
    const model = sweepModel({ _is_over: true });
    const { stop } = show(model);
    stop.click();
    expect(model.sent.filter(({ kind }) => kind === "stop")).toHaveLength(0);
    expect(stop.title).toBe("The sweep is over.");
  });
});

it("tells of ends and failures, and of nothing that was there before", async () => {
  const model = sweepModel();
  const { el } = show(model);
  const spoken = el.querySelector("section > .mw-hidden[aria-live]")!;
  expect(spoken.textContent).toBe("");
  model.set("_counts", { done: 4, running: 2, waiting: 2 });
  await painted();
  expect(spoken.textContent).toBe("");
  model.set("_counts", { done: 4, running: 2, waiting: 1, failed: 1 });
  await painted();
  expect(spoken.textContent).toContain("1 failed");
  model.set("_counts", { done: 7, failed: 1 });
  model.set("_is_over", true);
  await painted();
  expect(spoken.textContent).toBe("The sweep is over: 7 of 8 done · 1 failed");
});

it("leaves nothing behind", () => {
  const model = sweepModel();
  const { el, cleanup } = show(model);
  cleanup();
  expect(el.children).toHaveLength(0);
  expect(model.listening()).toBe(0);
});
