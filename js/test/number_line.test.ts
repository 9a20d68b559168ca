// The microscope's geometry: exact positions at every zoom, ticks and bands, rulers and marks.

import { describe, expect, test } from "vitest";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { exact, isFinite, nextUp } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { toExact } from "#core/formats/parse.ts";
import { add, compare, multiply, power, rational, subtract, type Rational } from "#core/formats/rational.ts";
import { fitted, marksOf, targetAt, targetBeside, targetOf } from "#ui/number_line/marks.ts";
import { rulerOf } from "#mixwidgets/floats/widgets/number_line/comparison.ts";
import { APART, contains, endsOf, largest, panned, pixelOf, rowOf, unitOf, valueAt, viewportOf, zoomed } from "#ui/number_line/viewport.ts";

const WIDTH = 800;
const float16 = getFormat("float16")!;
const float64 = getFormat("float64")!;
const of = (fmt: typeof float16, input: string) => ({ fmt, code: encode(fmt, toExact(input)), input });
const view16 = (input: string) => fitted(marksOf(of(float16, input)), WIDTH);
const narrow = formats.filter((fmt) => fmt.bits <= 8);

/** Every finite value of a format, ascending, each once: counted through its codes, not by its steps. */
function valuesOf(fmt: typeof float16): Rational[] {
  const values: Rational[] = [];
  for (let code = 0n; code < 1n << BigInt(fmt.bits); code += 1n) if (isFinite(fmt, code)) values.push(exact(fmt, code));
  values.sort(compare);
  return values.filter((value, i) => i === 0 || compare(values[i - 1]!, value) !== 0);
}

describe("the view", () => {
  test.each(["0.1", "5e-324", "1.7976931348623157e308", "1"])("tells float64 neighbours of %s apart", (input) => {
    const code = encode(float64, toExact(input));
    const [low, high] = [exact(float64, code - 1n), exact(float64, code)];
    const gap = subtract(high, low);
    const view = viewportOf(high, gap, 0.25, WIDTH);
    expect(pixelOf(view, high) - pixelOf(view, low)).toBeGreaterThan(WIDTH * 0.25 / 1.2);
    expect(pixelOf(view, high) - pixelOf(view, low)).toBeLessThanOrEqual(WIDTH * 0.25);
  });

  test("zooming keeps the value under the pointer, through the whole range and back", () => {
    let view = view16("65505");
    for (const steps of [...Array<number>(400).fill(1), ...Array<number>(900).fill(-1)]) {
      const next = zoomed(view, steps, 600);
      expect(Math.abs(pixelOf(next, valueAt(view, 600)) - 600)).toBeLessThan(0.02);
      view = next;
    }
    expect(String(view.centre.denominator).length).toBeLessThan(400);
  });

  test("zooming ends where float64 does, at both ends", () => {
    const out = zoomed(view16("1"), 1e6, 400);
    const into = zoomed(view16("0"), -1e6, 400);
    expect(contains(out, largest(float64))).toBe(true);
    expect(compare(unitOf(into.level), power(2n, -1074))).toBeLessThan(0);
    expect(zoomed(out, 1, 400)).toBe(out);
    expect(zoomed(into, -1, 400)).toBe(into);
  });

  test("panning there and back is exact", () => {
    const view = view16("0.1");
    expect(compare(panned(panned(view, 37), -37).centre, view.centre)).toBe(0);
  });
});

describe("ticks", () => {
  test.each(narrow)("of $name are its values, at every zoom and place", (fmt) => {
    const all = valuesOf(fmt);
    const top = largest(fmt);
    for (let doublings = 0; doublings < 24; doublings += 1) {
      for (const at of [rational(0n), top, all[all.length >> 1]!, all[Math.floor(all.length / 3)]!]) {
        const view = viewportOf(at, multiply(top, power(2n, -doublings)), 0.4, WIDTH);
        const row = rowOf(fmt, view);
        const seen = all.filter((value) => contains(view, value));
        expect(row.count).toBe(BigInt(seen.length));
        for (const value of seen) {
          const x = pixelOf(view, value);
          const ticked = row.ticks.some((tick) => compare(tick.value, value) === 0);
          const covered = row.bands.some(({ from, to }) => x >= from - 0.01 && x <= to + 0.01);
          expect(ticked || covered).toBe(true);
        }
        for (const { value, code } of row.ticks) expect(compare(exact(fmt, code), value)).toBe(0);
      }
    }
  });

  test("a gap of three pixels is drawn, a closer one is a band", () => {
    for (let zoom = 0; zoom < 40; zoom += 1) {
      const { ticks, bands } = rowOf(float16, zoomed(view16("1.5"), zoom, 400));
      const gaps = ticks.slice(1).map(({ x }, i) => x - ticks[i]!.x);
      expect(gaps.every((gap) => gap >= APART - 1e-6)).toBe(true);
      expect(bands.every(({ gap }) => gap < APART)).toBe(true);
      expect(ticks.length).toBeLessThanOrEqual(WIDTH / APART + 2);
    }
  });

  test("a binade's step changes at its power of two, and a band beside it is denser", () => {
    const view = viewportOf(rational(1n), power(2n, -10), 0.1, WIDTH); // 80 pixels a step above 1
    const xs = rowOf(float16, view).ticks.map(({ x }) => Math.round(x - WIDTH / 2) + 0);
    const unit = xs.find((x) => x > 0)!;
    expect(xs.filter((x) => Math.abs(x) <= unit)).toEqual([-unit, -Math.round(unit / 2), 0, unit]);
    const { bands } = rowOf(float16, zoomed(view, 24, 400));
    expect(bands[0]!.gap).toBeLessThan(bands.at(-1)!.gap);
  });

  test("counts of wide formats are exact", () => {
    const one = exact(float64, encode(float64, toExact("1")));
    const view = viewportOf(add(one, rational(1n, 2n)), rational(1n), 0.5, WIDTH);
    const [low, high] = endsOf(view);
    const lowest = low.numerator <= 0n ? 0n : encode(float64, toExact("0"));
    expect(rowOf(float64, view).count).toBe(countByCodes(low, high) - lowest);
  });

  test("a format's range ends where it ends", () => {
    const { range } = rowOf(float16, view16("65505"));
    expect(range![0]).toBe(0);
    expect(range![1]).toBeCloseTo(pixelOf(view16("65505"), rational(65504n)));
    expect(rowOf(float16, viewportOf(rational(100000n), rational(1n), 0.5, WIDTH))).toMatchObject({ ticks: [], bands: [], range: null, count: 0n });
  });
});

/** How many float64 values lie in an interval, by bisection over codes. */
function countByCodes(low: Rational, high: Rational): bigint {
  const upTo = (x: Rational) => {
    if (x.numerator < 0n) return -countBelow(rational(-x.numerator, x.denominator));
    let [a, b] = [0n, float64.maxCode];
    while (a < b) {
      const middle = (a + b + 1n) / 2n;
      if (compare(exact(float64, middle), x) <= 0) a = middle;
      else b = middle - 1n;
    }
    return a;
  };
  const countBelow = (x: Rational): bigint => {
    const found = upTo(x);
    return compare(exact(float64, found), x) === 0 ? found : found + 1n;
  };
  const start = low.numerator < 0n ? upTo(low) : countBelow(low);
  return upTo(high) - start + 1n;
}

describe("the ruler", () => {
  test("has round labels that stand where they say", () => {
    const view = view16("65505");
    const { marks, origin } = rulerOf(view, () => rational(65505n));
    expect(origin).toBeNull();
    expect(marks.map(({ label }) => label)).toContain("65520");
    for (const { x, label } of marks) expect(x).toBeCloseTo(pixelOf(view, rational(BigInt(label))), 6);
  });

  test("counts from the number where plain labels would not fit", () => {
    const { marks, origin } = rulerOf(fitted(marksOf(of(float64, "0.1")), WIDTH), () => rational(1n, 10n));
    expect(origin).toEqual(rational(1n, 10n));
    expect(marks.map(({ label }) => label)).toContain("0");
    expect(marks.at(-1)!.label).toMatch(/^\+[\d.]+e−1[78]$/);
  });
});

describe("marks", () => {
  const roles = (input: string, fmt = float16) => marksOf(of(fmt, input)).map(({ role, label, taken }) => `${role} ${label}${taken ? " !" : ""}`);

  test.each([
    ["2049", ["below 2048 !", "midpoint 2049", "input 2049", "above 2050"]],
    ["65505", ["below 65504 !", "midpoint 65520", "input 65505", "above 65536 → ∞"]],
    ["-1e999", ["below −65536 → −∞ !", "midpoint −65520", "input −1e999", "above −65504"]],
    ["1", ["below 0.99951171875", "input 1 !", "above 1.0009765625"]],
    ["inf", ["below 65504", "input 65536 → ∞ !"]],
    ["nan", []],
    ["0x7E01", []],
  ])("of %s", (input, expected) => {
    expect(roles(input)).toEqual(expected);
  });

  test.each([
    ["float8_e4m3fn", "460", ["below 448 !", "midpoint 464", "input 460", "above 480 → NaN"]],
    ["float8_e4m3fn", "464", ["below 448 !", "midpoint 464", "input 464", "above 480 → NaN"]],
    ["float8_e4m3fn", "500", ["below 448", "midpoint 464", "input 500", "above 480 → NaN !"]],
    ["float4_e2m1fn", "-9", ["below −8", "midpoint −7", "input −9", "above −6 !"]],
    ["float8_e8m0fnu", "3", ["below 2", "midpoint 3", "input 3", "above 4 !"]],
    ["float8_e8m0fnu", "6", ["below 4", "midpoint 6", "input 6", "above 8 !"]],
  ])("of %s %s, past the range's end", (name, input, expected) => {
    expect(roles(input, getFormat(name)!)).toEqual(expected);
  });

  test.each(formats)("of $name are all in sight once fitted", (fmt) => {
    for (const input of ["0.1", "1", "1e-50", "1e50", "3.14159"]) {
      const marks = marksOf(of(fmt, input));
      const view = fitted(marks, WIDTH);
      for (const mark of marks.filter(({ role }) => role !== "input")) expect(contains(view, mark.value)).toBe(true);
    }
  });

  test("the neighbour taken is the nearer one, or the even one of a tie", () => {
    for (let code = encode(float16, toExact("1")); code < encode(float16, toExact("1.01")); code += 1n) {
      const middle = add(exact(float16, code), exact(float16, nextUp(float16, code)));
      const input = String(Number(middle.numerator) / Number(middle.denominator) / 2);
      const taken = marksOf(of(float16, input)).find((mark) => mark.taken)!;
      expect(taken.code! & 1n).toBe(0n);
    }
  });
});

describe("the handle", () => {
  const at = (value: Rational, view: ReturnType<typeof view16>) => Math.round(pixelOf(view, value));

  test("snaps to values and midpoints; between them it gives a short decimal at the pointer", () => {
    const view = view16("65489");
    expect(targetAt(rowOf(float16, view), at(rational(65504n), view) + 4)).toEqual({ code: 0x7bffn });
    expect(targetAt(rowOf(float16, view), at(rational(65488n), view) - 4)).toEqual({ text: "65488" });
    expect(targetAt(rowOf(float16, view16("65505")), at(rational(65520n), view16("65505")) - 3)).toEqual({ text: "65520" });
    expect(targetAt(rowOf(float16, view16("-65505")), at(rational(-65536n), view16("-65505")) + 2)).toEqual({ text: "−65536" });
    for (let x = 0; x <= WIDTH; x += 1) {
      const target = targetAt(rowOf(float16, view), x);
      const value = "code" in target ? exact(float16, target.code) : rational(BigInt(Math.round(Number(target.text) * 10)), 10n);
      expect(Math.abs(pixelOf(view, value) - x)).toBeLessThan(6);
      expect(contains(view, value)).toBe(true);
    }
  });

  test.each(["-65489", "0", "1e-7", "-0.1", "65519"])("keeps the sign and the order around %s", (input) => {
    const view = view16(input);
    const values = Array.from({ length: WIDTH }, (_, x) => targetAt(rowOf(float16, view), x))
      .map((target) => encode(float16, toExact("code" in target ? `0x${target.code.toString(16)}` : target.text)))
      .map((code) => (isFinite(float16, code) ? exact(float16, code) : rational(code & 0x8000n ? -65536n : 65536n)));
    expect(values.every((value, i) => i === 0 || compare(values[i - 1]!, value) <= 0)).toBe(true);
  });

  test("moves by keys in eighths of the gap, from value to midpoint to value", () => {
    let input = "65472";
    const met = [];
    for (let i = 0; i < 9; i += 1) {
      const to = targetBeside(marksOf(of(float16, input)), 1)!;
      input = "code" in to ? "65504" : to.text;
      met.push(input);
    }
    expect(met).toEqual(["65476", "65480", "65484", "65488", "65492", "65496", "65500", "65504", "65508"]);
    expect(targetBeside(marksOf(of(float16, "65477")), -1)).toEqual({ text: "65476" });
    expect(targetBeside(marksOf(of(float16, "65476")), -1)).toEqual({ code: 0x7bfen });
  });

  test("stops past the range's end, and comes back", () => {
    expect(targetBeside(marksOf(of(float16, "1e6")), 1)).toBeNull();
    expect(targetBeside(marksOf(of(float16, "1e6")), -1)).toEqual({ text: "65536" });
    expect(targetBeside(marksOf(of(float16, "-1e6")), -1)).toBeNull();
    expect(targetBeside(marksOf(of(float16, "-1e6")), 1)).toEqual({ text: "−65536" });
    expect(targetBeside(marksOf(of(float16, "inf")), 1)).toBeNull();
    expect(targetBeside([], 1)).toBeNull();
  });

  test("on a mark takes its code, or past the range the step's value", () => {
    expect(marksOf(of(float16, "65505")).map(targetOf)).toEqual([
      { code: 0x7bffn }, { text: "65520" }, { text: "65505" }, { text: "65536" },
    ]);
  });
});
