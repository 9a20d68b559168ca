// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import { readChanges, readSeeds, readSteps } from "#mixwidgets/runs/widgets/training_lab/choice.ts";
import { csvOf } from "#mixwidgets/runs/widgets/training_lab/selection.ts";
import { dateOf } from "#mixwidgets/runs/widgets/training_lab/words.ts";
import { labModel, row, stage } from "./training_lab_model.ts";

const { page, show, button, region, can, field, type } = stage();
const ID = "20261128-213242650-digits_cnn-fp32-0a78";
const over = (id: string, recipe: string, changes = {}) => row({ id, recipe, status: "completed", step: 300, rate: null, ...changes });
const lines = () => [...page().querySelectorAll<HTMLTableRowElement>("tbody tr")];

describe("a run that is selected", () => {
  it("is named, noted and starred, as text", () => {
    const model = labModel({ _rows: [over("2", "bf16"), over("1", "fp32")], _shown: [] });
    show(model);
    expect([can(button("Star")), button("Name, note").title]).toEqual([false, "Select a single run."]);
    model.set("_shown", ["1"]);
    button("Star").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "label", run: "1", star: true });
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    button("Name, note").click();
    expect(document.activeElement).toBe(field("name of the run"));
    [field("name of the run").value, field("note").value] = ["the best", "<b>eps</b>"];
    button("Save").click();
    const kept = model.sent.find(({ kind, name }) => kind === "label" && name === "the best");
    expect(kept).toMatchObject({ run: "1", note: "<b>eps</b>" });
    model.set("_rows", [over("2", "bf16"), over("1", "fp32", { name: "the best", note: "<b>eps</b>", star: true })]);
    expect(lines()[1]!.querySelector(".mw-run-name")!.textContent).toBe("★ the best");
    expect(lines()[1]!.querySelector(".mw-run-note")!.textContent).toBe("<b>eps</b>");
    expect([page().querySelector("b"), button("Unstar").textContent]).toEqual([null, "★ Unstar"]);
  });

  it("is thrown away once that was asked and answered, and only if it is over", () => {
    const model = labModel({ _rows: [over("2", "bf16")], _live_rows: [row({ id: "3" })], _shown: ["2", "3"] });
    show(model);
    button("Delete").click();
    const asked = page().querySelector<HTMLElement>("[role=group][aria-label='Delete…']")!;
    expect([asked.hidden, asked.firstElementChild!.textContent]).toEqual([false, "Move 1 selected runs that are over into the folder .trash beside them?"]);
    button("Keep them").click();
    expect([asked.hidden, model.sent.some(({ kind }) => kind === "throw_away")]).toEqual([true, false]);
    button("Delete").click();
    button("Move to trash").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "throw_away", runs: ["2"] });
    model.set("_shown", ["3"]);
    expect([can(button("Delete")), button("Delete").title]).toEqual([false, "Select runs that are over."]);
  });

  it("gives its code as text, which can be copied", async () => {
    const model = labModel({ _rows: [over("1", "fp32")], _shown: ["1"] });
    show(model);
    const copied = vi.fn(async () => {});
    vi.stubGlobal("navigator", { clipboard: { writeText: copied } });
    button("Code").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "code", run: "1" });
    model.set("_code", { run: "1", text: "from mixwidgets import *\n# <b>" });
    const panel = region("Code of fp32");
    expect(panel.querySelector("pre")!.textContent).toBe("from mixwidgets import *\n# <b>");
    [...panel.querySelectorAll("button")].find((one) => one.textContent === "Copy")!.click();
    await Promise.resolve();
    expect(copied).toHaveBeenCalledWith("from mixwidgets import *\n# <b>");
    model.set("_code", { run: "1", text: 5 });
    expect(panel.querySelector("b")).toBeNull();
  });

  it("and all others are none at a press", () => {
    const model = labModel({ _rows: [over("1", "fp32")], _shown: ["1"] });
    show(model);
    button("Select none").click();
    expect(model.get("_shown")).toEqual([]);
    expect(can(button("Select none"))).toBe(false);
  });
});

describe("the list of runs", () => {
  it("is a table for a spreadsheet, in which no text is a formula", () => {
    const rows = [over("2", "=cmd()", { note: 'a "b", c', metrics: { accuracy: 0.5, loss: -1 } }), over("1", "fp32", { metrics: {} })];
    const csv = csvOf(rows, new Map([["2", "=cmd()"], ["1", "+x"]])).split("\r\n");
    expect(csv[0]).toBe("id,name,date,task,recipe,seed,status,step,steps,metric,score,loss,skipped,loss_scale,settings,note");
    expect(csv[1]).toBe(`2,'=cmd(),,digits_cnn,'=cmd(),0,completed,300,300,accuracy,0.5,-1,2,32768,,"a ""b"", c"`);
    expect(csv[2]!.startsWith("1,'+x,")).toBe(true);
  });

  it("shows the date of a run, and finds it as it is printed", () => {
    const date = dateOf(ID);
    expect(date).toMatch(/^2026-11-2[789] \d\d:32$/);
    expect(dateOf("my-run")).toBe("");
    const others = Array.from({ length: 9 }, (_, i) => over(`x${i}`, "bf16", { seed: 10 + i }));
    show(labModel({ _rows: [...others, over(ID, "fp32")] }));
    const search = page().querySelector<HTMLInputElement>("input[type=search]")!;
    const found = (text: string) => {
      search.value = text;
      search.dispatchEvent(new Event("input"));
      return lines().map((line) => line.querySelector(".mw-run-detail")!.textContent);
    };
    expect(found(date)).toEqual([`seed 0 · completed · 2 skipped · ${date}`]);
    expect(found("seed 0")).toHaveLength(1); // not 10, and not a 0 elsewhere
    expect(found("seed 1")).toEqual([]);
    expect(found("bf16 seed 12")).toEqual(["seed 12 · completed · 2 skipped"]);
  });

  it("puts starred runs first when asked", () => {
    const some = Array.from({ length: 9 }, (_, i) => over(`${9 - i}`, "bf16", { star: i === 5 }));
    show(labModel({ _rows: some }));
    type(page().querySelector<HTMLSelectElement>(".mw-finder > select:last-child")!, "starred");
    expect(lines()[0]!.querySelector(".mw-run-name")!.textContent).toMatch(/^★/);
  });
});

it("puts the selected runs first when asked", () => {
  const some = Array.from({ length: 9 }, (_, i) => over(`${9 - i}`, "bf16", { seed: 9 - i }));
  const model = labModel({ _rows: some, _shown: ["2", "5"] });
  show(model);
  const seeds = () => lines().slice(0, 3).map((line) => /seed \d/.exec(line.textContent!)![0]);
  expect(seeds()).toEqual(["seed 9", "seed 8", "seed 7"]);
  type(page().querySelector<HTMLSelectElement>(".mw-finder > select:last-child")!, "selected");
  expect(seeds()).toEqual(["seed 5", "seed 2", "seed 9"]);
  model.receive({ _shown: ["1"] });
  expect(seeds()).toEqual(["seed 1", "seed 9", "seed 8"]);
});

describe("comparing seeds", () => {
  it("shows their mean and range in one column", () => {
    const rows = [over("3", "bf16", { settings: "" }), over("2", "fp32", { seed: 1, settings: "" }), over("1", "fp32", { settings: "" })];
    const comparison = { runs: ["1", "2", "3"], rows: [
      { field: "seed", kind: "setting", values: [0, 1, 0], unit: "" },
      { field: "metrics.accuracy", kind: "result", values: [0.9, 0.94, 0.5], unit: "" },
      { field: "status", kind: "result", values: ["completed", "completed", "stopped"], unit: "" },
      { field: "metrics.loss", kind: "result", values: [0.5, "nan", 1], unit: "" },
    ] };
    show(labModel({ _rows: rows, _comparison: comparison }));
    const table = page().querySelector(".mw-comparison table")!;
    expect([...table.querySelectorAll("thead th")].map((one) => one.textContent)).toEqual(["field", "fp32 · 2 seeds", "bf16"]);
    expect([...table.querySelectorAll("td")].map((one) => one.textContent)).toEqual([
      "0, 1", "0", "92.0 % (90.0 % to 94.0 %)", "50.0 %", "completed", "stopped", "0.500, NaN", "1.000",
    ]);
  });
});

describe("a change of recipe in mid-run", () => {
  const read = (text: string) => readChanges(text, 300, ["bf16", "fp32", "my own"]);
  it.each([["200: bf16", "200: bf16"], [" 200:bf16, 250 : my own,", "200: bf16, 250: my own"], ["２００：bf16", "200: bf16"], ["", ""]])("is read from %j", (text, value) => {
    expect(read(text)).toEqual({ value });
  });
  it.each([
    ["bf16", "such as 200: bf16; got “bf16”"], ["300: bf16", "from 1 to 299"], ["0: bf16", "from 1 to 299"], ["1.5: bf16", "from 1 to 299"],
    ["200: bf15", "a recipe of the list, such as bf16; got “bf15”"], ["200:", "got nothing"], ["200: bf16, 200: fp32", "each step once"], ["250: bf16, 200: fp32", "in the order"],
    ["200: bf16: x", "the steps before it"],
  ])("is not read from %j, and that is told", (text, words) => {
    expect(read(text)).toEqual({ problem: expect.stringContaining(words) });
  });
  it("is launched with the recipe, and stands in the address", () => {
    const model = labModel({ recipe: "fp16_dynamic" });
    show(model);
    type(field("change of recipe"), "200: fp32");
    expect(model.get("changes")).toBe("200: fp32");
    button("Launch").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "launch", experiment: { recipe: "fp16_dynamic", changes: "200: fp32" } });
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    type(field("change of recipe"), "500: fp32");
    model.sent.length = 0;
    button("Launch").click();
    expect([model.sent.length, document.activeElement]).toEqual([0, field("change of recipe")]);
    type(field("scenario"), "0");
    expect(model.get("changes")).toBe("");
  });
});

describe("numbers as they are typed", () => {
  it.each([["1,000", 1000], ["2,000,000", 2_000_000], [" 300 ", 300]])("%j is a number of steps", (text, value) => {
    expect(readSteps(text)).toEqual({ value });
  });
  it.each(["1,00", "1,0000", ",100", "1.5"])("%j is none", (text) => {
    expect(readSteps(text)).toHaveProperty("problem");
  });
  it("a seed that comes twice is told, and 1,000 is one seed", () => {
    expect(readSeeds("1,000")).toEqual({ value: [1000] });
    expect(readSeeds("100,200")).toEqual({ value: [100, 200] });
    expect(readSeeds("0,0")).toEqual({ problem: "seeds takes each seed once; 0 came again in “0,0”." });
  });
  it("a launch that will take long is told", () => {
    const model = labModel();
    show(model);
    type(field("steps"), "2,000,000");
    expect(model.get("steps")).toBe(2_000_000);
    expect(page().textContent).toContain("2,000,000 steps are 6,667 times the task’s own 300: this will take long.");
    type(field("steps"), "600");
    expect(page().textContent).not.toContain("this will take long");
  });
});
