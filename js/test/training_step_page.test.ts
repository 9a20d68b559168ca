// @vitest-environment jsdom
// The page of one training step without a kernel: what it shows of a real step, and what its controls set.

import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { beforeEach, describe, expect, it, vi } from "vitest";
import widget from "#mixwidgets/teaching/widgets/training_step/page.ts";
import { type Choice, trainerOf, usual } from "#mixwidgets/teaching/widgets/training_step/state.ts";
import { fateOf, fatesOf } from "#training/fate.ts";
import { look } from "#training/look.ts";
import { strip } from "#training/strip.ts";
import { brief, digits, scaleText, weightText } from "#mixwidgets/teaching/widgets/training_step/names.ts";
import { getFormat } from "#core/formats/catalogue.ts";
import { fakeModel } from "./fake_model.ts";
import { committed } from "./vectors.ts";

const rows = new Uint8Array(inflateSync(readFileSync("mixwidgets/runs/task/digit_rows.bin")));
const STATIONS = ["Master weight", "Copy, forward", "Loss × S", "Backward", "Check, ÷ S", "Update"];

function show(changes: Partial<Choice> = {}) {
  const model = fakeModel({ ...usual, ...changes, _digits: new DataView(rows.buffer, rows.byteOffset, rows.byteLength), _stations: new DataView(new ArrayBuffer(0)) });
  const el = document.body.appendChild(document.createElement("div"));
  const cleanup = widget.render({ model, el } as never);
  const plain = (text: string | null) => (text ?? "").replace(/[\u2066-\u2069]/g, "");
  const all = (selector: string) => [...el.querySelectorAll<HTMLElement>(selector)].filter((one) => !one.closest("[hidden]"));
  const text = (selector: string) => plain(all(selector)[0]!.textContent);
  const station = (name: string) => all(".mw-step-station").find((one) => plain(one.querySelector("h4")!.textContent) === name)!;
  const said = (name: string) => plain([...station(name).querySelectorAll<HTMLElement>("p, button.mw-step-figure, .mw-step-aside")].filter((one) => !one.closest("[hidden]")).map((one) => one.textContent).join(" | "));
  const press = (name: string) => all("button").find((one) => plain(one.textContent) === name)!.click();
  const slide = (log2: number) => {
    const slider = el.querySelector<HTMLInputElement>("input[type=range]")!;
    slider.value = String(log2);
    slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change"));
  };
  const pick = (select: number, index: number) => {
    const menu = el.querySelectorAll<HTMLSelectElement>(".mw-step-menus select")[select]!;
    menu.selectedIndex = index;
    menu.dispatchEvent(new Event("change"));
  };
  return { model, el, cleanup, all, text, station, said, press, slide, pick, plain };
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
});

describe("the loop", () => {
  it("has six stations in the order of a step, each named for a screen reader", () => {
    const { all, plain } = show();
    expect(all(".mw-step-station h4").map((one) => plain(one.textContent))).toEqual(STATIONS);
    const names = all(".mw-step-station").map((one) => plain(one.getAttribute("aria-label")));
    expect(names[1]).toMatch(/^Copy, forward, float16, −0\.42\d+ rounded to −0\.42\d+$/);
    expect(names[3]).toBe("gradient, float16, 1.63e−8 rounded to 0");
  });

  it("frames where a gradient is lost, and the path is dashed from there", () => {
    const { all, station, text, said } = show();
    expect(all("[data-tag]")).toEqual([station("Backward")]);
    expect(text(".mw-step-tag")).toBe("lost here");
    expect(all(".mw-step-way").map((one) => one.dataset.is ?? "")).toEqual(["", "", "", "lost", "lost", "lost"]);
    expect(said("Backward")).toContain("all are 0");
    expect(said("Update")).toContain("no bit changes");
    expect(text(".mw-step-lead")).toBe("This weight does not move: its gradient, 1.63e−8, became 0.");
  });

  it("frames nothing where the weight moves as in float32", () => {
    const { all, said, slide } = show();
    slide(16);
    expect(all("[data-tag], .mw-step-way[data-is]")).toEqual([]);
    expect(said("Update")).toMatch(/\d+ bits change/);
    expect(all("i[data-changed]").length).toBeGreaterThan(0);
    expect(said("Check, ÷ S")).toContain("gradient ÷ 2¹⁶");
  });

  it("closes at the check where a gradient is inf, and lowers a dynamic S", () => {
    const { all, station, said, text, press } = show({ loss_scale: "dynamic", log2_loss_scale: 39 });
    expect(all("[data-tag]")).toEqual([station("Check, ÷ S")]);
    expect(said("Check, ÷ S")).toMatch(/^7 × inf \|.*S: 2³⁹ → 2³⁸ from the next step on/);
    expect(said("Update")).toMatch(/^left out \| the weights/);
    expect(station("Update").dataset.leftOut).toBe("");
    expect(text(".mw-step-back")).toBe("S 2³⁹ → 2³⁸");
    press("Next step");
    expect(text(".mw-step-formula")).toBe("S = 2³⁸");
  });

  it("shows the neighbours of a narrow weight whose update is lost", () => {
    const { all, station, slide } = show({ master_weights: false, float32_steps: 0, steps: 300, log2_loss_scale: 16 });
    expect(station("Update").dataset.tag).toBe("lost");
    expect(all(".mw-step-road")).toHaveLength(1);
    expect(station("Weight").dataset.narrow).toBe("");
    slide(16);
  });

  it("draws no neighbours for an update of 0", () => {
    const { station } = show({ master_weights: false });
    const line = station("Update").querySelector(".mw-step-road")!;
    expect(line.hasAttribute("hidden")).toBe(true);
  });

  it("shows an optimiser's state before and after", () => {
    expect(show({ optimizer: "momentum" }).said("Update")).toMatch(/momentum \S+ → \S+/);
    expect(show({ optimizer: "adam", learning_rate: 0.01 }).said("Update")).toMatch(/m \S+ → \S+ \| v \S+ → \S+/);
  });

  it("opens the bits of a value, and closes them where they were opened", () => {
    const { all, station } = show();
    expect(all(".mw-bits-panel")).toEqual([]);
    const figure = station("Backward").querySelector<HTMLElement>(".mw-step-figure")!;
    figure.focus();
    figure.click();
    expect(all(".mw-bits-panel-bits")[0]!.textContent).toBe("0 00000 0000000000");
    all(".mw-bits-panel button")[0]!.click();
    expect(all(".mw-bits-panel")).toEqual([]);
    expect(document.activeElement).toBe(figure);
  });
});

describe("the weight", () => {
  it("is chosen from the list, a bias too", () => {
    const { model, pick, text } = show();
    pick(1, 5);
    expect(model.get("weight")).toEqual([1, 2, 2]);
    pick(0, 1);
    expect(model.get("weight")).toEqual([1, 0, 1]);
    expect(text(".mw-chips:last-child label:first-of-type")).toContain("b → h₁");
    expect(model.saved.at(-1)!["weight"]).toEqual([1, 0, 1]);
  });

  it("is chosen by the arrow keys in the drawing", () => {
    const { model, el } = show();
    const key = (key: string) => el.querySelector(".mw-step-network")!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    key("ArrowRight");
    expect(model.get("weight")).toEqual([1, 1, 4]);
    key("Home");
    expect(model.get("weight")).toEqual([1, 1, 1]);
    key("End");
    expect(model.get("weight")).toEqual([2, 0, 2]);
    key("ArrowRight");
    expect(model.get("weight")).toEqual([2, 0, 2]);
  });
});

describe("the strip of S", () => {
  it("has the fate of the weight at each scale", () => {
    const { el } = show();
    const trainer = trainerOf(usual as Choice, rows);
    const fates = strip(trainer).of({ tensor: 0, index: 2 });
    const shown = [...el.querySelectorAll(".mw-step-strip > span > span")].map((one) => one.className.replace("mw-fate mw-fate-", ""));
    expect(shown).toEqual(fates);
    expect(new Set(shown).size).toBeGreaterThan(3);
  });

  it("does not change while S moves, because the weights before the step do not", () => {
    const { el, slide } = show();
    const before = el.querySelector(".mw-step-strip")!.innerHTML;
    const [figure] = el.querySelectorAll(".mw-step-figure");
    slide(20);
    expect(el.querySelector(".mw-step-strip")!.innerHTML).toBe(before);
    expect(el.querySelector(".mw-step-figure")).toBe(figure);
  });

  it("says to a screen reader what the step does", () => {
    const { el, slide, plain } = show();
    slide(30);
    expect(plain(el.querySelector("input[type=range]")!.getAttribute("aria-valuetext"))).toMatch(/: moves as in float32$/);
  });
});

describe("all weights", () => {
  it("shows the shares of fates, which add up, and each weight's own in the drawing", () => {
    const { el, all, plain } = show({ all_weights: true });
    const seen = look(trainerOf(usual as Choice, rows));
    const counts = all(".mw-step-list b").map((one) => Number(one.textContent));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(22);
    const fates = new Set(fatesOf(seen).flat());
    expect(all(".mw-step-list li")).toHaveLength(fates.size);
    expect(el.querySelectorAll(`.mw-step-lines .mw-fate-${fateOf(seen, { tensor: 0, index: 2 })}`)).toHaveLength(1);
    expect(all("[data-tag='lost']")).toEqual([]);
    expect(plain(all(".mw-step-lead")[0]!.textContent)).toContain("of 22 weights");
  });
});

describe("the step", () => {
  it("goes on and back, to the same numbers", () => {
    const { press, text, said } = show({ log2_loss_scale: 16 });
    const before = said("Master weight");
    const after = said("Update");
    press("Next step");
    expect(text(".mw-step-note")).toContain("step 42");
    expect(said("Master weight").split(" ")[0]).toBe(after.split(" | ")[1]);
    press("Step back");
    expect(said("Master weight")).toBe(before);
    press("Step back");
    expect(text(".mw-step-note")).toContain("step 41");
  });

  const kept = (said: (name: string) => string) => [said("Master weight").split(" ")[0], said("Copy, forward")];

  it("keeps the weights before it while S moves, whatever took them there", () => {
    for (const changes of [{}, { loss_scale: "dynamic" }, { loss_scale: "none" }]) {
      const { said, slide, press, text } = show({ ...changes, steps: 20, log2_loss_scale: 16 });
      const before = kept(said);
      for (const log2 of [3, 0, 16, 39]) {
        slide(log2);
        expect(kept(said)).toEqual(before);
        expect(text(".mw-step-formula")).toMatch(log2 === 0 ? /^S = 1$/ : new RegExp(`^S = 2`));
      }
      slide(8);
      const after = said("Update").split(" | ")[1];
      press("Next step");
      expect(kept(said)[0]).toBe(after);
    }
  });

  it("goes back to steps as they were taken, each with its own S", () => {
    const { model, said, slide, press, text } = show({ steps: 5, log2_loss_scale: 16 });
    const [start, update] = [said("Master weight"), said("Update")];
    press("Step back");
    const former = [said("Master weight"), said("Update")];
    press("Next step");
    slide(3);
    press("Next step");
    expect(model.get("earlier_scales")).toEqual([16, 5]);
    slide(30);
    expect(model.get("earlier_scales")).toEqual([16, 5, 3, 1]);
    press("Step back");
    expect([text(".mw-step-formula"), model.get("earlier_scales")]).toEqual(["S = 2³ = 8", [16, 5]]);
    press("Step back");
    expect([said("Master weight"), said("Update")]).toEqual(former);
    press("Next step");
    expect([said("Master weight"), said("Update")]).toEqual([start, update]);
  });

  it("is played station by station, and then taken", () => {
    vi.useFakeTimers();
    const { press, all, model, cleanup } = show({ log2_loss_scale: 16 });
    const here = () => all(".mw-step-station").findIndex((one) => one.dataset.here === "");
    press("▶ Play slowly");
    const seen: number[] = [];
    for (let i = 0; i < 6; i++) {
      seen.push(here());
      vi.advanceTimersByTime(1500);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
    expect([here(), model.get("steps")]).toEqual([0, 1]);
    press("❚❚ Pause");
    vi.advanceTimersByTime(60_000);
    expect([here(), model.get("steps")]).toEqual([-1, 1]);
    cleanup();
    vi.useRealTimers();
  });

  it("keeps the last one where a setting is wrong, and says why", () => {
    const { model, text } = show();
    model.receive({ learning_rate: Number.NaN });
    expect(text(".mw-error")).toContain("learning_rate takes a number");
    expect(text(".mw-step-lead")).toContain("does not move");
  });

  it("changes its settings in the fold", () => {
    const { el, model } = show();
    const menus = [...el.querySelectorAll<HTMLSelectElement>(".mw-step-fields select")];
    menus[0]!.selectedIndex = 2;
    menus[0]!.dispatchEvent(new Event("change"));
    expect(model.get("optimizer")).toBe("adam");
  });

  it("leaves nothing behind when the view closes", () => {
    const { model, cleanup, el } = show();
    cleanup();
    expect([model.listening(), el.children.length]).toEqual([0, 0]);
  });
});

describe("the stage's questions", () => {
  it("have the numbers of NumPy's steps", () => {
    const { el, text, press, plain } = show();
    const numpy = committed<Record<"smallest" | "larger" | "fits" | "skips" | "alike" | "update" | "run", Record<string, number>> & { update: { larger: number[] } }>("stage.json");
    el.querySelector<HTMLButtonElement>(".mw-stage-button")!.click();
    const told: [question: string, answer: string][] = [];
    for (let i = 0; i < 7; i++) {
      const question = plain(el.querySelector(".mw-stage-sequence")!.textContent);
      const field = el.querySelector<HTMLInputElement>(".mw-stage-sequence input")!;
      field.value = "a guess";
      press("Show");
      told.push([question, plain(el.querySelector(".mw-step-answer")!.textContent)]);
      if (i < 6) press("Next");
    }
    const [smallest, larger, fits, skips, alike, update, run] = told.map(([, answer]) => answer);
    const { log2, moved, wanted } = numpy.smallest;
    expect(smallest).toBe(`S = ${scaleText(log2!)}: it moves by ${brief(moved!)}; float32 moves it by ${brief(wanted!)}.`);
    expect(larger).toBe(`It is ${digits(numpy.larger["ratio"]!, 4)} times float32’s: ${brief(numpy.larger["moved"]!)}, not ${brief(numpy.larger["wanted"]!)}. The check divides by S.`);
    expect(told[2]![0]).toContain(`gradient × S is ${digits(numpy.fits["gradient"]!, 5)},`);
    expect([fits, numpy.fits["moved"]]).toEqual([`No: ${numpy.fits["others"]} other gradients are inf or NaN, and a step is taken whole or not at all.`, 0]);
    expect(skips).toBe(`${numpy.skips["count"]}: then S is ${scaleText(numpy.skips["log2"]!)}.`);
    expect(alike).toBe(`${numpy.alike["count"]} of ${numpy.alike["all"]}.`);
    expect(told[5]![0]).toContain(`w = ${weightText(numpy.update["weight"]!, getFormat("float16")!)} in float16, and its update is ${brief(-numpy.update["update"]!)}.`);
    expect([numpy.update["moved"], ...new Set(numpy.update.larger)]).toEqual([0, 0]);
    expect(update).toMatch(/^No, and no: /);
    expect(told[6]![0]).toContain(`${numpy.alike["count"]} of ${numpy.alike["all"]} weights`);
    const { before, after, other } = numpy.run;
    expect(run).toBe(`The test loss goes from ${digits(before!, 3)} to ${digits(after!, 3)} in 300 steps; with S = 2¹⁶ to ${digits(other!, 3)}. A step is not a run.`);
    expect(text(".mw-step-note")).toContain("step 341");
  });
});
