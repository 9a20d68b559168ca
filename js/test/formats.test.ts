// The front end's formats on the vectors of tests/vectors/, which come from MPFR, NumPy, ml_dtypes and decimal.

import { describe, expect, test } from "vitest";
import { getFormat } from "#core/formats/catalogue.ts";
import { classify, nextDown, nextUp, shortest, toDecimal } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { explain } from "#core/formats/explain.ts";
import { InputError, toExact } from "#core/formats/parse.ts";
import { compare, negate, rational, type Rational } from "#core/formats/rational.ts";
import { t } from "#ui/messages.ts";
import { committed } from "./vectors.ts";

interface Rejected {
  text: string;
  key: InputError["key"];
  args: Record<string, string>;
}

const parse = committed<{
  finite: { text: string; negative: boolean; magnitude: [string, string]; read_as?: string }[];
  special: { text: string; negative: boolean; kind: string }[];
  pattern: { text: string; code: string }[];
  rejected: Rejected[];
  float16_codes: { text: string; code: string }[];
  rejected_float16_codes: Rejected[];
}>("parse.json");

const rounding = committed<
  Record<
    string,
    { text: string; code: string; below: string; above: string; rule: string; midpoint: string | null; error: string | null }[]
  >
>("rounding.json");

const codes = committed<
  Record<string, { code: string; class: string; decimal: string; shortest?: string; next_up?: string; next_down?: string }[]>
>("codes.json");

const float16 = getFormat("float16")!;

function errorOf(action: () => unknown): InputError {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function valueOf(text: string): Rational {
  const exact = toExact(text);
  if (exact.kind === "pattern") throw new Error(`${text} is a bit pattern`);
  return exact.negative ? negate(exact.magnitude) : exact.magnitude;
}

describe("parsing", () => {
  test.each(parse.finite)("$text", ({ text, negative, magnitude, read_as }) => {
    const exact = toExact(text);
    if (exact.kind !== "finite") throw new Error(exact.kind);
    expect(exact.negative).toBe(negative);
    expect(compare(exact.magnitude, rational(BigInt(magnitude[0]), BigInt(magnitude[1])))).toBe(0);
    expect(exact.readAs).toBe(read_as);
  });

  test.each(parse.special)("$text", ({ text, negative, kind }) => {
    expect(toExact(text)).toMatchObject({ kind, negative });
  });

  test.each(parse.pattern)("$text", ({ text, code }) => {
    expect(toExact(text)).toEqual({ kind: "pattern", code: BigInt(code) });
  });

  test.each(parse.rejected)("$text is rejected", ({ text, key, args }) => {
    const error = errorOf(() => toExact(text));
    expect([error.key, error.args]).toEqual([key, args]);
    expect(t(error.key, error.args)).not.toMatch(/[{}]/);
  });

  test.each(parse.float16_codes)("$text as a code", ({ text, code }) => {
    expect(float16.toCode(text)).toBe(BigInt(code));
  });

  test.each(parse.rejected_float16_codes)("$text is no code", ({ text, key, args }) => {
    const error = errorOf(() => float16.toCode(text));
    expect([error.key, error.args]).toEqual([key, args]);
  });

  test("a bit pattern wider than the format", () => {
    expect(errorOf(() => encode(float16, toExact("0x1FFFF"))).key).toBe("code.range");
  });
});

describe.each(Object.keys(rounding).map((name) => getFormat(name)!))("$name", (fmt) => {
  test.each(rounding[fmt.name]!)("rounds $text", (row) => {
    const got = explain(fmt, row.text);
    expect(fmt.toHex(encode(fmt, toExact(row.text)))).toBe(row.code);
    expect([got.code, got.below, got.above].map((code) => fmt.toHex(code))).toEqual([row.code, row.below, row.above]);
    expect(got.rule).toBe(row.rule);
    for (const name of ["midpoint", "error"] as const) {
      const value = got[name];
      if (value === null || row[name] === null) expect(value).toBe(row[name]);
      else expect(compare(value, valueOf(row[name]))).toBe(0);
    }
  });

  test.each(codes[fmt.name] ?? [])("reads $code", (row) => {
    const code = fmt.toCode(row.code);
    expect(fmt.toHex(code)).toBe(row.code);
    expect(classify(fmt, code)).toBe(row.class);
    expect(toDecimal(fmt, code)).toBe(row.decimal);
    if (row.class === "nan") return;
    expect(encode(fmt, toExact(row.decimal))).toBe(code);
    expect(fmt.toHex(nextUp(fmt, code))).toBe(row.next_up);
    expect(fmt.toHex(nextDown(fmt, code))).toBe(row.next_down);
    if (row.shortest !== undefined) expect(shortest(fmt, code)).toBe(row.shortest);
    else if (row.class !== "infinity") expect(encode(fmt, toExact(shortest(fmt, code)))).toBe(code);
  });
});

test("only canonical names are formats", () => {
  const others = ["half", "__proto__", "constructor", "", null, 16, {}, "binary16", "binary8p8se", "binary08p4se", "binary65p4se"];
  for (const name of others) expect(getFormat(name)).toBeUndefined();
});
