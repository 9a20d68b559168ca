// @vitest-environment jsdom
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chart } from "#ui/chart/chart.ts";
import { bandPath, lossAxes, lossPath, lossTicks, stepAxis, wholePart, within } from "#ui/chart/geometry.ts";
import { steps } from "#ui/chart/steps.ts";
import { viewOf } from "#ui/view.ts";
import { fakeModel } from "./fake_model.ts";

const frame = { width: 120, height: 100, left: 10, right: 10, top: 0, bottom: 0 };
const line = (...values: number[]) => values.map((value, step) => ({ step, value }));

describe("a part of the steps", () => {
  const part = { from: 2, to: 4, isWhole: false };
  it("is cut from a curve, with the neighbours to which its line goes on", () => {
    expect(within(line(9, 8, 7, 6, 5, 4), part).map(({ value }) => value)).toEqual([7, 6, 5]);
    expect(within([{ step: 0 }, { step: 1 }, { step: 9 }, { step: 12 }], part)).toEqual([{ step: 1 }, { step: 9 }]);
    expect(within([{ step: 3 }], part)).toEqual([{ step: 3 }]);
    expect(within([], part)).toEqual([]);
  });
  it("has a y axis of its own values, where the whole begins at 0", () => {
    const curve = line(9, 8, 7, 6, 5, 4);
    expect(lossAxes(frame, [curve], part).y.domain()).toEqual([5, 7]);
    expect(lossAxes(frame, [curve], wholePart(5)).y.domain()).toEqual([0, 10]);
    expect(lossAxes(frame, [line(1, 1, 1, 1, 1)], part).y.domain()).toEqual([1, 2]);
    expect(lossAxes(frame, [curve], part).x.domain()).toEqual([2, 4]);
  });
});

describe("a band", () => {
  const axes = lossAxes(frame, [line(4)], wholePart(10)); // 10 px a step, 25 px a unit
  it("lies between lowest and highest, with gaps where nothing is finite", () => {
    const ranges = [[0, 1, 3], [1, 1, 2], [2, NaN, NaN], [3, 0, 1], [4, 1, 1]].map(([step, low, high]) => ({ step: step!, low: low!, high: high! }));
    expect(bandPath(axes, ranges)).toBe("M10,25L20,50L20,75L10,75ZM40,75L50,75L50,75L40,100Z");
    expect(lossPath(axes, line(4, 2, NaN, 0, 1))).toBe("M10,0L20,50M40,100L50,75");
  });
  it("is on a logarithmic axis that ends at 1, 2 or 5 times a power of ten, some of which it names", () => {
    for (const [values, domain, ticks] of [
      [[2.3, 1.2], [1, 5], [1, 2, 5]],
      [[2.3, 0.07], [0.05, 5], [0.05, 0.1, 0.2, 0.5, 1, 2, 5]],
      [[0.001, 10, 0], [0.001, 10], [0.001, 0.01, 0.1, 1, 10]],
      [[2, 2], [2, 20], [2, 5, 10, 20]],
      [[], [0.1, 1], [0.1, 0.2, 0.5, 1]],
    ] as const) {
      const log = lossAxes(frame, [line(...values)], wholePart(1), true);
      expect(log.y.domain()).toEqual(domain);
      expect(lossTicks(log, true)).toEqual(ticks);
    }
  });
  it("reaches the floor where its lowest has no place on a logarithmic axis", () => {
    const log = lossAxes(frame, [line(1, 10)], wholePart(1), true);
    expect(bandPath(log, [{ step: 0, low: 0, high: 10 }, { step: 1, low: 1, high: 10 }])).toBe("M10,0L110,0L110,100L10,100Z");
  });
});

describe("the steps of charts", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    document.body.replaceChildren();
  });

  /** Charts of 100 steps, 10 px each. */
  function made(count = 100) {
    const view = viewOf(fakeModel({}) as never);
    const all = signal(count);
    const plots = [chart("one", ""), chart("other", "")];
    const shown = steps(view, all, plots, (step) => `step ${step}`);
    document.body.append(shown.element);
    view.effect(() => {
      const wide = { width: 1000, height: 100, left: 0, right: 0, top: 0, bottom: 0 };
      for (const plot of plots) plot.draw({ frame: wide, x: stepAxis(wide, shown.part.value), yTicks: [], series: [], named: false, empty: "", summary: "" });
    });
    const { svg } = plots[0]!;
    svg.setPointerCapture = () => {};
    const point = (type: string, clientX: number, more = {}) => svg.dispatchEvent(new MouseEvent(type, { clientX, buttons: 1, bubbles: true, ...more }));
    const find = (name: string) => shown.element.querySelector<HTMLButtonElement>(`[aria-label="${name}"]`)!;
    return {
      ...shown, all, svg, point,
      slider: shown.element.querySelector<HTMLInputElement>("input[type=range]")!,
      closer: find("zoom in on the step"), wider: find("zoom out"),
      drag(from: number, to: number) {
        point("pointerdown", from);
        point("pointermove", (from + to) / 2);
        point("pointermove", to);
        point("pointerup", to);
        point("click", to, { detail: 1 });
      },
      click(at: number, detail = 1) {
        for (const type of ["pointerdown", "pointerup", "click"]) point(type, at, { detail });
      },
      press: (key: string, more = {}) => {
        const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
        shown.element.querySelector("input")!.dispatchEvent(event);
        return event.defaultPrevented;
      },
      range: () => [shown.part.value.from, shown.part.value.to],
    };
  }

  it("a drag zooms all charts to the steps that it crosses, either way, and keeps none", () => {
    const charts = made();
    charts.drag(200, 600);
    expect(charts.range()).toEqual([20, 60]);
    charts.drag(750, 250); // of 40 steps on 1000 px
    expect([charts.range(), charts.step.value]).toEqual([[30, 50], 100]);
    expect([...charts.element.querySelectorAll(".mw-ticks:nth-of-type(3)")].map((ticks) => ticks.firstChild!.textContent)).toEqual(["30", "30"]);
  });

  it("shows what a drag would choose, until Escape or its end", () => {
    const charts = made();
    charts.point("pointerdown", 200);
    charts.point("pointermove", 600);
    const chosen = () => [...charts.element.querySelectorAll(".mw-dragged")].map((path) => path.getAttribute("d"));
    expect(chosen()).toEqual(["M200,0V100H600V0Z", "M200,0V100H600V0Z"]);
    charts.press("Escape");
    expect(chosen()).toEqual(["", ""]);
    charts.point("pointermove", 700);
    charts.point("pointerup", 700);
    expect([charts.range(), chosen()]).toEqual([[0, 100], ["", ""]]);
  });

  it("a click keeps a step, whatever is pointed at later, and the newest is followed", () => {
    const charts = made();
    charts.click(300);
    charts.point("pointermove", 700, { buttons: 0 });
    expect([charts.step.value, charts.slider.value]).toEqual([70, "70"]);
    expect(["cursor", "kept"].map((name) => charts.element.querySelector(`.mw-${name}`)!.getAttribute("d"))).toEqual(["M700,0V100", "M300,0V100"]);
    charts.point("pointerleave", 700);
    expect(charts.step.value).toBe(30);
    charts.click(1000);
    charts.all.value = 120;
    expect(charts.step.value).toBe(120);
  });

  it("a double click and Escape show all steps again; what was kept stays", () => {
    const charts = made();
    charts.click(300);
    charts.drag(200, 600);
    charts.click(10);
    charts.click(10, 2);
    charts.point("dblclick", 10);
    charts.point("pointerleave", 10);
    expect([charts.range(), charts.step.value]).toEqual([[0, 100], 30]);
    charts.drag(200, 600);
    expect([charts.press("Escape"), charts.range()]).toEqual([true, [0, 100]]);
    expect(charts.press("Escape")).toBe(false); // the stage’s
  });

  it("plus and minus zoom by buttons and keys around the step that is read, and say why they cannot", () => {
    const charts = made();
    expect(charts.wider.title).toBe("All steps are shown.");
    charts.click(300);
    charts.point("pointerleave", 300);
    charts.press("+");
    expect(charts.range()).toEqual([15, 65]);
    charts.closer.click();
    expect(charts.range()).toEqual([23, 48]);
    charts.press("-");
    expect(charts.range()).toEqual([16, 66]);
    charts.wider.click();
    expect(charts.range()).toEqual([0, 100]);
    for (let i = 0; i < 9; i += 1) charts.press("+");
    expect(charts.range()[1]! - charts.range()[0]!).toBe(4);
    expect(charts.closer.title).toBe("No fewer steps can be shown.");
    expect(charts.press("+", { ctrlKey: true })).toBe(false); // the browser’s
  });

  it("the slider takes the part with it", () => {
    const charts = made();
    charts.drag(200, 600);
    charts.slider.value = "80";
    charts.slider.dispatchEvent(new Event("input"));
    expect([charts.range(), charts.step.value]).toEqual([[60, 100], 80]);
    charts.slider.value = "1";
    charts.slider.dispatchEvent(new Event("input"));
    expect(charts.range()).toEqual([0, 40]);
  });

  it("tells which steps are shown", () => {
    const charts = made();
    charts.drag(200, 600);
    vi.runAllTimers();
    expect(charts.element.querySelector("[aria-live]")!.textContent).toBe("steps 20 to 60 of 100");
    expect(charts.slider.getAttribute("aria-valuetext")).toBe("step 100");
  });

  it("shows all of fewer steps than it was zoomed to", () => {
    const charts = made();
    charts.drag(200, 600);
    charts.all.value = 50;
    expect(charts.range()).toEqual([0, 50]);
  });
});
