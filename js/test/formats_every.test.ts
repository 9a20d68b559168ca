// Every format, small, unsigned, finite and experimental ones too, on the vectors that tests/vectors/every_format.py
// writes out from the formats' own documents and holds against ml_dtypes, gfloat and SoftFloat.

import { describe, expect, test } from "vitest";
import { formats, getFormat, p3109 } from "#core/formats/catalogue.ts";
import { customFormat, type CustomDefinition, type Definition, type FloatFormat } from "#core/formats/float_format.ts";
import { classify, hexFloat, isFinite, nextDown, nextUp, shortest, toDecimal } from "#core/formats/decode.ts";
import { encode, OVERFLOWS, ROUNDINGS, type Options, type Overflow, type Rounding } from "#core/formats/encode.ts";
import { explain } from "#core/formats/explain.ts";
import { InputError, toExact } from "#core/formats/parse.ts";
import { compare, negate, type Rational } from "#core/formats/rational.ts";
import { t } from "#ui/messages.ts";
import { committed } from "./vectors.ts";

type Columns = Record<"codes" | "classes" | "decimal" | "shortest" | "hex_float" | "next_up" | "next_down", string>;

const decoded = committed<Record<string, [Columns]>>("decoded.json");
const directions = committed<Record<string, [text: string, codes: string][]>>("directions.json");
const overflows = committed<Record<string, [text: string, codes: string][]>>("overflows.json");
const explained = committed<Record<string, string[][]>>("explained.json");

interface PythonDefinition {
  exponent_bits: number;
  fraction_bits: number;
  bias?: number;
  signed?: boolean;
  infinity?: Definition["infinity"];
  nan?: Definition["nan"];
  has_zero?: boolean;
  subnormals?: Definition["subnormals"];
  overflows_to_nan?: boolean;
}

const custom = committed<Record<string, [PythonDefinition]>>("custom.json");

/** A format of the catalogue, of P3109, or of custom.json. */
function formatNamed(name: string): FloatFormat {
  const found = custom[name]?.[0];
  if (!found) return getFormat(name)!;
  const { exponent_bits: exponentBits, fraction_bits: fractionBits, has_zero: hasZero = true, overflows_to_nan: overflowsToNan = true, ...rest } = found;
  return customFormat({ name, exponentBits, fractionBits, hasZero, overflowsToNan, ...rest });
}

/** The code in hex digits, or the key of the error. */
function answer(name: string, text: string, options: Options): string {
  const fmt = formatNamed(name);
  return outcome(() => fmt.toHex(encode(fmt, text, options)).slice(2));
}

function outcome(action: () => string): string {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(t(error.key, error.args)).not.toMatch(/[{}]/);
    return error.key;
  }
}

function exactly(text: string): Rational {
  const exact = toExact(text);
  if (exact.kind !== "finite") throw new Error(`${text} is not finite`);
  return exact.negative ? negate(exact.magnitude) : exact.magnitude;
}

test("the vectors cover the catalogue", () => {
  const missing = formats.filter(({ name, bits }) => [directions, overflows, explained, ...(bits <= 8 ? [decoded] : [])].some((vectors) => !(name in vectors)));
  expect(missing.map(({ name }) => name), "add them to CATALOGUE in tests/vectors/format_oracle.py, and make the vectors again").toEqual([]);
});

test.each(Object.entries(decoded))("every code of %s", (name, [columns]) => {
  const fmt = formatNamed(name);
  const lists = Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, column.split(" ")]));
  const codes = lists["codes"]!.map((text) => fmt.toCode("0x" + text));
  const hex = (code: bigint) => fmt.toHex(code).slice(2);
  const found = {
    codes: codes.map(hex),
    classes: codes.map((code) => classify(fmt, code)),
    decimal: codes.map((code) => toDecimal(fmt, code)),
    shortest: codes.map((code) => shortest(fmt, code)),
    hex_float: codes.map((code) => hexFloat(fmt, code)),
    next_up: codes.map((code) => hex(nextUp(fmt, code))),
    next_down: codes.map((code) => hex(nextDown(fmt, code))),
  };
  expect(found).toEqual(lists);
  for (const code of codes.filter((code) => isFinite(fmt, code))) {
    const expected = classify(fmt, code) === "zero" ? code & fmt.signBit : code; // several codes may be zero
    for (const text of [toDecimal(fmt, code), shortest(fmt, code), hexFloat(fmt, code)]) expect(encode(fmt, text)).toBe(expected);
  }
});

test.each(Object.entries(directions))("every direction of %s", (name, rows) => {
  const found = rows.map(([text]) => [text, ROUNDINGS.map((rounding) => answer(name, text, { rounding })).join(" ")]);
  expect(found).toEqual(rows);
});

test.each(Object.entries(overflows))("every overflow policy of %s", (name, rows) => {
  const found = rows.map(([text]) => [text, OVERFLOWS.map((overflow) => answer(name, text, { overflow })).join(" ")]);
  expect(found).toEqual(rows);
});

test.each(Object.entries(explained))("%s explained", (name, rows) => {
  const fmt = formatNamed(name);
  for (const row of rows) {
    const [text, rounding, overflow, , , , , ...figures] = row;
    const got = explain(fmt, text!, { rounding: rounding as Rounding, overflow: overflow as Overflow });
    const codes = [got.code, got.below, got.above].map((code) => fmt.toHex(code).slice(2));
    const same = [got.midpoint, got.error].map((figure, i) => {
      const expected = figures[i]!;
      const agrees = figure === null ? expected === "none" : expected !== "none" && compare(figure, exactly(expected)) === 0;
      return agrees ? expected : "another";
    });
    expect([text, rounding, overflow, ...codes, got.rule, ...same]).toEqual(row);
  }
});

describe("hex floats", () => {
  test.each([
    ["float16", "65504", "0x1.ffcp+15"],
    ["float64", "0.1", "0x1.999999999999ap-4"],
    ["float64", "5e-324", "0x1p-1074"],
    ["float16", "-0", "-0x0p+0"],
    ["bfloat16", "-inf", "-inf"],
    ["float32", "nan", "nan"],
  ])("%s %s", (name, text, expected) => {
    const fmt = getFormat(name)!;
    expect(hexFloat(fmt, encode(fmt, text))).toBe(expected);
  });
});

describe("P3109", () => {
  test("by its numbers and by its name it is the same object", () => {
    expect(p3109(8, 4, true, true)).toBe(getFormat("binary8p4se"));
    expect(p3109(8, 4, true, true)!.experimental).toBe(true);
    expect(getFormat("float16")!.experimental).toBe(false);
  });

  test("every member has its largest value, and K and P have limits", () => {
    for (let bits = 3; bits <= 16; bits += 1) {
      for (const signed of [true, false]) {
        for (let precision = 1; precision <= (signed ? bits - 1 : bits); precision += 1) {
          const fmt = p3109(bits, precision, signed, true)!;
          expect([fmt.bits, fmt.precision, classify(fmt, fmt.maxCode + 1n)]).toEqual([bits, precision, "infinity"]);
        }
        expect(p3109(bits, bits + 1, signed, true)).toBeUndefined();
      }
    }
    expect([p3109(17, 1, true, true)?.exponentBits, p3109(64, 53, true, true)?.fractionBits]).toEqual([16, 52]);
    expect([p3109(18, 1, true, true), p3109(65, 53, false, true), p3109(2, 1, true, true)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("custom formats", () => {
  test("without more than widths they follow IEEE 754", () => {
    const mine = customFormat({ name: "mine", exponentBits: 5, fractionBits: 10 });
    const { name: _, citation, ...known } = getFormat("float16")!;
    expect(mine).toMatchObject(known);
  });

  test.each<[string, Partial<CustomDefinition>]>([
    ["custom.integer", { exponentBits: 12 }],
    ["custom.integer", { exponentBits: 0 }],
    ["custom.integer", { fractionBits: 53 }],
    ["custom.integer", { fractionBits: 1.5 }],
    ["custom.integer", { bias: Number.NaN }],
    ["custom.integer", { bias: "7" as never }],
    ["custom.choice", { infinity: "constructor" as never }],
    ["custom.choice", { nan: null as never }],
    ["custom.ieee_pair", { infinity: "none" }],
    ["custom.ieee_width", { exponentBits: 1 }],
    ["custom.ieee_width", { fractionBits: 0 }],
    ["custom.nan_place", { infinity: "none", nan: "negative_zero", signed: false }],
    ["custom.nan_place", { infinity: "none", nan: "negative_zero", hasZero: false }],
    ["custom.empty", { infinity: "none", nan: "top", exponentBits: 1, fractionBits: 0 }],
    ["custom.empty", { infinity: "top", nan: "top", exponentBits: 1, fractionBits: 1, subnormals: "flushed" }],
    ["custom.choice", { subnormals: "some" as never }],
    ["custom.no_zero", { infinity: "none", nan: "none", hasZero: false, subnormals: "none" }],
    ["custom.many_zeros", { infinity: "none", nan: "negative_zero", subnormals: "flushed" }],
  ])("%s: %o", (key, wrong) => {
    const definition = { name: "mine", exponentBits: 4, fractionBits: 3, ...wrong };
    expect(outcome(() => customFormat(definition).name)).toBe(key);
  });

  test("signed and without zero, the smallest numbers of either sign are neighbours", () => {
    const fmt = customFormat({ name: "mine", exponentBits: 3, fractionBits: 1, infinity: "none", nan: "none", hasZero: false });
    expect([nextDown(fmt, 0n), nextUp(fmt, fmt.signBit)]).toEqual([fmt.signBit, 0n]);
    expect(outcome(() => fmt.toHex(encode(fmt, "0")))).toBe("format.no_zero");
    expect(encode(fmt, "0", { overflow: "saturate" })).toBe(0n);
  });
});
