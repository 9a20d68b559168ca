// Every code of the P3109 formats of 9 to 15 bits, both ways, on what gfloat says they are (the smaller ones stand in
// tests/vectors/decoded.json).

import { expect, test } from "vitest";
import { classify, exact } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { p3109 } from "#core/formats/catalogue.ts";
import { exhaustive } from "./vectors.ts";

const family = JSON.parse(new TextDecoder().decode(exhaustive("p3109.json"))) as [number, number][];
const values = exhaustive("p3109.values");

test("every code of the wide P3109 formats is its value, and the value gives the code", () => {
  let at = 0;
  const wrong: string[] = [];
  for (const [k, p] of family) {
    const fmt = p3109(k, p, true, true)!;
    for (let code = 0n; code < 1n << BigInt(k); code++, at += 8) {
      const value = values.getFloat64(at, true);
      const kind = classify(fmt, code);
      if (Number.isNaN(value) || !Number.isFinite(value)) {
        const expected = Number.isNaN(value) ? "nan" : "infinity";
        if (kind !== expected) wrong.push(`${fmt.name} ${code} is ${kind}, not ${expected}`);
        continue;
      }
      const { numerator, denominator } = exact(fmt, code);
      const isIt = Number(numerator) / Number(denominator) === value;
      const magnitude = { numerator: numerator < 0n ? -numerator : numerator, denominator };
      const back = encode(fmt, { kind: "finite", negative: numerator < 0n, magnitude });
      if (!isIt || back !== code) wrong.push(`${fmt.name} ${code}`);
    }
  }
  expect(at).toBe(values.byteLength);
  expect(wrong.slice(0, 5)).toEqual([]);
}, 120_000);
