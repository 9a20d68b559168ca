// Rounds numbers to a format, ties to even, in two additions and without the format's codes.
//
// Let x be in the binade of 2^e, e not below the format's emin, and M = 1.5 × 2^(52 + e − t), where t is the number of fraction
// bits. Then the ulp of x + M is 2^(e − t), the format's own: float64's addition rounds x to the format, and subtracting M is exact
// (Dekker, Numer. Math. 18, 1971, splits numbers by adding a constant). M depends only on the exponent of x: the table `magic` has
// it for each of float64's 2,048 exponents, made once for each format.

import { past as codePast } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { clamp } from "#core/range.ts";

const BIAS = 1023;

/** A float64 and its upper 32 bits; every machine that runs a page is little-endian. */
export const scratch = new Float64Array(1);
export const upper = new Int32Array(scratch.buffer, 4, 1);

/** 2^exponent, from −1022 to 1023. */
export function powerOfTwo(exponent: number): number {
  scratch[0] = 1;
  upper[0] = (exponent + BIAS) << 20;
  return scratch[0];
}

export interface Rounder {
  readonly magic: Float64Array;
  /** The format's ulp for each biased exponent of a float64. */
  readonly ulp: Float64Array;
  /** The largest finite value. */
  readonly max: number;
  /** What a magnitude beyond `max` becomes: infinity; else, if the format has none, NaN or `max`. */
  readonly past: number;
  readonly hasNegativeZero: boolean;
  /** Whether storing in a Float32Array already rounds to the format. */
  readonly isFloat32: boolean;
}

const known = new WeakMap<FloatFormat, Rounder>();

/** Whether tensors can be kept in a format: it needs a sign, a zero and subnormals, and values that are all float32 values. */
export function holdsTensors({ signed, hasZero, subnormals, emin, emax, fractionBits }: FloatFormat): boolean {
  return signed && hasZero && subnormals === "gradual" && fractionBits <= 23 && emax <= 127 && emin - fractionBits >= -149;
}

/** The rounder of a format that holds tensors. */
export function rounderOf(format: FloatFormat): Rounder {
  const earlier = known.get(format);
  if (earlier) return earlier;
  const { emin, emax, fractionBits, maxCode, infCode, hasNegativeZero } = format;
  const ulp = new Float64Array(2048);
  const magic = new Float64Array(2048);
  for (let biased = 0; biased < 2048; biased++) {
    const exponent = clamp(biased - BIAS, emin, emax + 1);
    ulp[biased] = powerOfTwo(exponent - fractionBits);
    // Without fraction bits, every other power of two has an even code: an odd M makes ties round to these.
    const isOdd = fractionBits === 0 && biased - BIAS >= emin && (exponent - emin) % 2 === 1;
    magic[biased] = (1.5 * 2 ** 52 + Number(isOdd)) * ulp[biased]!;
  }
  const width = BigInt(fractionBits);
  const top = Number(maxCode >> width);
  const significand = Number(format.significandOf(top, maxCode & ((1n << width) - 1n)));
  const max = significand * powerOfTwo(format.exponentOf(top) - fractionBits);
  const after = codePast(format, false);
  const past = after === maxCode ? max : after === infCode ? Infinity : NaN;
  const isFloat32 = fractionBits === 23 && emin === -126 && emax === 127 && past === Infinity;
  const rounder = { magic, ulp, max, past, hasNegativeZero, isFloat32 };
  known.set(format, rounder);
  return rounder;
}

/** x rounded once to the nearest value, ties to even. NaN stays NaN, even if the format has none. */
export function round({ magic, max, past, hasNegativeZero, isFloat32 }: Rounder, x: number): number {
  if (isFloat32) return Math.fround(x);
  scratch[0] = x;
  const m = magic[(upper[0]! >>> 20) & 2047]!;
  const rounded = x + m - m;
  if (rounded > max) return past;
  if (rounded < -max) return -past;
  if (rounded === 0) return hasNegativeZero ? x * 0 : 0; // x + m − m has lost the sign
  return rounded;
}

/** Rounds each value of an array in place. */
export function roundAll(rounder: Rounder, values: Float32Array): void {
  if (rounder.isFloat32) return;
  for (let i = 0; i < values.length; i++) values[i] = round(rounder, values[i]!);
}

/** The gap between the format's values in the binade of x. */
export function spacing({ ulp }: Rounder, x: number): number {
  scratch[0] = x;
  return ulp[(upper[0]! >>> 20) & 2047]!;
}

/** x rounded to one of its two neighbours: away from zero if its distance from the one nearer to zero, in ulps, exceeds
 * `uniform`, which is from 0 to below 1. */
export function roundStochastically(rounder: Rounder, x: number, uniform: number): number {
  const ulp = spacing(rounder, x);
  const magnitude = Math.abs(x) / ulp;
  const low = Math.floor(magnitude);
  const rounded = (magnitude - low > uniform ? low + 1 : low) * ulp;
  const signed = rounded === 0 ? x * 0 : x < 0 ? -rounded : rounded; // −0 is not below 0
  return round(rounder, signed); // it is on the grid: only overflow is left, and −0 where there is none
}
