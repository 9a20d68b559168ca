// mixwidgets/formats/catalogue.json
var catalogue_default = {
  about: 'Every named float format. exponent_bits, fraction_bits and bias define the encoding, signed whether a sign bit stands on top. infinity: "ieee" = exponent all ones, fraction 0; "top" = the largest magnitude code (below a NaN that sits there); "none". nan: "ieee" = exponent all ones, fraction not 0; "top" = all ones; "negative_zero" = the sign bit alone; "none". has_zero: false = a zero exponent field is an exponent like the others. All else is derived.',
  formats: [
    {
      name: "float64",
      aliases: ["fp64", "binary64", "double"],
      exponent_bits: 11,
      fraction_bits: 52,
      bias: 1023,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "IEEE 754-2019, table 3.5, binary64"
    },
    {
      name: "float32",
      aliases: ["fp32", "binary32", "single"],
      exponent_bits: 8,
      fraction_bits: 23,
      bias: 127,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "IEEE 754-2019, table 3.5, binary32"
    },
    {
      name: "tfloat32",
      aliases: ["tf32"],
      exponent_bits: 8,
      fraction_bits: 10,
      bias: 127,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "NVIDIA A100 Tensor Core GPU Architecture, 2020; 19 bits in a 32-bit container"
    },
    {
      name: "bfloat16",
      aliases: ["bf16"],
      exponent_bits: 8,
      fraction_bits: 7,
      bias: 127,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "Intel, BFLOAT16 Hardware Numerics Definition, 2018"
    },
    {
      name: "float16",
      aliases: ["fp16", "binary16", "half"],
      exponent_bits: 5,
      fraction_bits: 10,
      bias: 15,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "IEEE 754-2019, table 3.5, binary16"
    },
    {
      name: "float8_e5m2",
      aliases: ["fp8_e5m2"],
      exponent_bits: 5,
      fraction_bits: 2,
      bias: 15,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "OCP 8-bit Floating Point Specification (OFP8) 1.0"
    },
    {
      name: "float8_e4m3fn",
      aliases: ["fp8_e4m3fn"],
      exponent_bits: 4,
      fraction_bits: 3,
      bias: 7,
      signed: true,
      infinity: "none",
      nan: "top",
      has_zero: true,
      citation: "OCP 8-bit Floating Point Specification (OFP8) 1.0"
    },
    {
      name: "float8_e4m3",
      aliases: ["fp8_e4m3"],
      exponent_bits: 4,
      fraction_bits: 3,
      bias: 7,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "IEEE 754's encoding rules for 4 exponent and 3 fraction bits, as in LLVM's Float8E4M3"
    },
    {
      name: "float8_e3m4",
      aliases: ["fp8_e3m4"],
      exponent_bits: 3,
      fraction_bits: 4,
      bias: 3,
      signed: true,
      infinity: "ieee",
      nan: "ieee",
      has_zero: true,
      citation: "IEEE 754's encoding rules for 3 exponent and 4 fraction bits, as in LLVM's Float8E3M4"
    },
    {
      name: "float8_e4m3fnuz",
      aliases: ["fp8_e4m3fnuz"],
      exponent_bits: 4,
      fraction_bits: 3,
      bias: 8,
      signed: true,
      infinity: "none",
      nan: "negative_zero",
      has_zero: true,
      citation: "Noune et al., 8-bit Numerical Formats for Deep Neural Networks, arXiv:2206.02915"
    },
    {
      name: "float8_e5m2fnuz",
      aliases: ["fp8_e5m2fnuz"],
      exponent_bits: 5,
      fraction_bits: 2,
      bias: 16,
      signed: true,
      infinity: "none",
      nan: "negative_zero",
      has_zero: true,
      citation: "Noune et al., 8-bit Numerical Formats for Deep Neural Networks, arXiv:2206.02915"
    },
    {
      name: "float8_e4m3b11fnuz",
      aliases: ["fp8_e4m3b11fnuz"],
      exponent_bits: 4,
      fraction_bits: 3,
      bias: 11,
      signed: true,
      infinity: "none",
      nan: "negative_zero",
      has_zero: true,
      citation: "Sun et al., Hybrid 8-bit Floating Point (HFP8), NeurIPS 2019, as in LLVM's Float8E4M3B11FNUZ"
    },
    {
      name: "float6_e3m2fn",
      aliases: ["fp6_e3m2fn"],
      exponent_bits: 3,
      fraction_bits: 2,
      bias: 3,
      signed: true,
      infinity: "none",
      nan: "none",
      has_zero: true,
      citation: "OCP Microscaling Formats (MX) Specification 1.0"
    },
    {
      name: "float6_e2m3fn",
      aliases: ["fp6_e2m3fn"],
      exponent_bits: 2,
      fraction_bits: 3,
      bias: 1,
      signed: true,
      infinity: "none",
      nan: "none",
      has_zero: true,
      citation: "OCP Microscaling Formats (MX) Specification 1.0"
    },
    {
      name: "float4_e2m1fn",
      aliases: ["fp4_e2m1fn"],
      exponent_bits: 2,
      fraction_bits: 1,
      bias: 1,
      signed: true,
      infinity: "none",
      nan: "none",
      has_zero: true,
      citation: "OCP Microscaling Formats (MX) Specification 1.0"
    },
    {
      name: "float8_e8m0fnu",
      aliases: ["e8m0fnu"],
      exponent_bits: 8,
      fraction_bits: 0,
      bias: 127,
      signed: false,
      infinity: "none",
      nan: "top",
      has_zero: false,
      citation: "OCP Microscaling Formats (MX) Specification 1.0"
    }
  ]
};

// js/core/formats/rational.ts
function rational(numerator, denominator = 1n) {
  return { numerator, denominator };
}
function power(base, exponent) {
  return exponent >= 0 ? rational(base ** BigInt(exponent)) : rational(1n, base ** BigInt(-exponent));
}
function negate(x) {
  return rational(-x.numerator, x.denominator);
}
function magnitudeOf(x) {
  return x.numerator < 0n ? negate(x) : x;
}
function multiply(x, y) {
  return rational(x.numerator * y.numerator, x.denominator * y.denominator);
}
function divide(x, y) {
  return rational(x.numerator * y.denominator, x.denominator * y.numerator);
}
function add(x, y) {
  return rational(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator);
}
function subtract(x, y) {
  return add(x, negate(y));
}
function compare(x, y) {
  const left = x.numerator * y.denominator;
  const right = y.numerator * x.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}
function floorLog2(x) {
  const guess = bitLength(x.numerator) - bitLength(x.denominator);
  return compare(x, power(2n, guess)) >= 0 ? guess : guess - 1;
}
function floorLog10(x) {
  const guess = String(x.numerator).length - String(x.denominator).length;
  return compare(x, power(10n, guess)) >= 0 ? guess : guess - 1;
}
function bitLength(n) {
  const hex = n.toString(16);
  return 4 * (hex.length - 1) + Number.parseInt(hex.slice(0, 1), 16).toString(2).length;
}

// js/core/formats/parse.ts
var SIGN = "(?<sign>[+\\-−]?)";
var EXPONENT = "(?<exp>[+\\-−]?[0-9]+)";
var DECIMAL = new RegExp(`^${SIGN}(?:(?<whole>[0-9]+)\\.?(?<part>[0-9]*)|\\.(?<only>[0-9]+))(?:[eE]${EXPONENT})?$`);
var HEX_FLOAT = new RegExp(
  `^${SIGN}0[xX](?:(?<whole>[0-9a-fA-F]+)\\.?(?<part>[0-9a-fA-F]*)|\\.(?<only>[0-9a-fA-F]+))[pP]${EXPONENT}$`
);
var SPECIAL = new RegExp(`^${SIGN}(?<word>inf|infinity|nan)$`, "i");
var BIT_PATTERN = /^(?:0[xX][0-9a-fA-F]+|0[bB][01]+)$/;
var BLANKS = /^[ \t\r\n]+|[ \t\r\n]+$/g;
var InputError = class extends Error {
  key;
  args;
  constructor(key, args) {
    super(key);
    this.key = key;
    this.args = args;
  }
};
function toCode(text2, bits, name) {
  const body = text2.replace(BLANKS, "");
  const prefixed = BIT_PATTERN.test(body) || /^0b./i.test(body) ? body : "0x" + body;
  if (!BIT_PATTERN.test(prefixed)) {
    throw new InputError("code.form", { text: shown(text2), zeros: "0".repeat(Math.ceil(bits / 4)) });
  }
  return checkWidth(BigInt(prefixed.toLowerCase()), bits, name);
}
function checkWidth(code, bits, name) {
  if (code >> BigInt(bits) !== 0n) {
    const last = "0x" + ((1n << BigInt(bits)) - 1n).toString(16).toUpperCase();
    const text2 = shown("0x" + code.toString(16));
    throw new InputError("code.range", { text: text2, format: name, bits: String(bits), last });
  }
  return code;
}
function shown(text2) {
  const characters = [...text2];
  const short = characters.length <= 40 ? characters : [...characters.slice(0, 39), "…"];
  const spelled = short.map(
    (c) => c !== " " && /[\p{C}\p{Z}]/u.test(c) ? "\\u" + c.codePointAt(0)?.toString(16).padStart(4, "0") : c
  );
  return `'${spelled.join("")}'`;
}

// js/core/formats/float_format.ts
var FloatFormat = class {
  name;
  exponentBits;
  fractionBits;
  bias;
  signed;
  infinity;
  nan;
  hasZero;
  experimental;
  aliases;
  citation;
  /** Width of a code. */
  bits;
  /** p: significant bits of a normal number, the implicit one included. */
  precision;
  /** Exponent of the smallest normal number, and of every subnormal one. */
  emin;
  /** Exponent of the largest finite number. */
  emax;
  /** The sign bit alone: −0, where `hasNegativeZero`. 0n for an unsigned format. */
  signBit;
  /** The magnitude code of all ones: a mask that takes the sign off. */
  allOnes;
  /** The code of the largest finite value. */
  maxCode;
  /** The code of +∞; null for a format without infinity. */
  infCode;
  /** The code of the NaN that encoding gives, quiet where there are two kinds; null for a format without NaN. */
  nanCode;
  hasNegativeZero;
  /** The value that would follow the largest finite one, were there no end. */
  overflowStep;
  /** The magnitude at which rounding to nearest leaves the finite range: halfway to `overflowStep`. */
  overflowThreshold;
  /** Whether no significand is even, so that of two equally near values the larger is taken (IEEE 754-2019, 4.3.1). */
  tiesToLarger;
  /** Whether the threshold itself, a tie, still rounds to the largest finite value: that code is even. */
  overflowTieStays;
  constructor(definition) {
    const { name, exponentBits, fractionBits, bias, signed, infinity, nan, hasZero } = definition;
    this.name = name;
    this.exponentBits = exponentBits;
    this.fractionBits = fractionBits;
    this.bias = bias;
    this.signed = signed;
    this.infinity = infinity;
    this.nan = nan;
    this.hasZero = hasZero;
    this.experimental = definition.experimental ?? false;
    this.aliases = definition.aliases ?? [];
    this.citation = definition.citation ?? "";
    this.bits = Number(signed) + exponentBits + fractionBits;
    this.precision = fractionBits + 1;
    this.emin = hasZero ? 1 - bias : -bias;
    this.signBit = signed ? 1n << BigInt(this.bits - 1) : 0n;
    this.allOnes = (1n << BigInt(exponentBits + fractionBits)) - 1n;
    const ieee = (1n << BigInt(exponentBits)) - 1n << BigInt(fractionBits);
    const above = BigInt(nan === "top") + BigInt(infinity === "top");
    this.maxCode = infinity === "ieee" ? ieee - 1n : this.allOnes - above;
    this.infCode = infinity === "none" ? null : this.maxCode + 1n;
    this.nanCode = {
      ieee: ieee | 1n << BigInt(Math.max(fractionBits - 1, 0)),
      top: this.allOnes,
      negative_zero: this.signBit,
      none: null
    }[nan];
    this.hasNegativeZero = signed && hasZero && nan !== "negative_zero";
    this.emax = floorLog2(this.magnitude(this.maxCode));
    this.overflowStep = this.magnitude(this.maxCode + 1n);
    this.overflowThreshold = divide(add(this.magnitude(this.maxCode), this.overflowStep), rational(2n));
    this.tiesToLarger = fractionBits === 0 && !hasZero;
    this.overflowTieStays = (this.maxCode & 1n) === 0n && !this.tiesToLarger;
  }
  /** The exponent that the codes of a biased exponent share: subnormals have the smallest normal number's. */
  exponentOf(biasedExponent) {
    return (this.hasZero ? Math.max(biasedExponent, 1) : biasedExponent) - this.bias;
  }
  /** The integer significand of a biased exponent and fraction: with the implicit bit, unless subnormal. */
  significandOf(biasedExponent, fraction) {
    return this.hasZero && biasedExponent === 0 ? fraction : fraction | 1n << BigInt(this.fractionBits);
  }
  /** The value of a magnitude code, on a grid that goes on beyond the largest finite one. */
  magnitude(code) {
    const width = BigInt(this.fractionBits);
    const biasedExponent = Number(code >> width);
    const significand = this.significandOf(biasedExponent, code & (1n << width) - 1n);
    return multiply(rational(significand), power(2n, this.exponentOf(biasedExponent) - this.fractionBits));
  }
  /** A code as an integer, from text such as "0x7BFF", "0b1" or "7BFF". Throws InputError. */
  toCode(text2) {
    return toCode(text2, this.bits, this.name);
  }
  /** A code as text of fixed width, such as "0x7BFF". */
  toHex(code) {
    return "0x" + code.toString(16).toUpperCase().padStart(Math.ceil(this.bits / 4), "0");
  }
};

// js/core/formats/p3109.ts
var LEAST_BITS = 3;
var MOST_BITS = 15;
var NAME = /^binary(?<bits>[1-9][0-9]?)p(?<precision>[1-9][0-9]?)(?<sign>[su])(?<domain>[ef])$/;
var known = /* @__PURE__ */ new Map();
function p3109(bits, precision, signed, extended) {
  check("K", bits, LEAST_BITS, MOST_BITS);
  check("P", precision, 1, signed ? bits - 1 : bits);
  const name = `binary${bits}p${precision}${signed ? "s" : "u"}${extended ? "e" : "f"}`;
  const found = known.get(name);
  if (found) return found;
  const exponentBits = signed ? bits - precision : bits - precision + 1;
  const fmt = new FloatFormat({
    name,
    exponentBits,
    fractionBits: precision - 1,
    bias: 2 ** (exponentBits - 1),
    signed,
    infinity: extended ? "top" : "none",
    nan: signed ? "negative_zero" : "top",
    hasZero: true,
    experimental: true,
    citation: "IEEE P3109, interim report 4.0, 2026"
  });
  known.set(name, fmt);
  return fmt;
}
function p3109Named(name) {
  const parts = NAME.exec(name)?.groups;
  if (!parts) return void 0;
  try {
    return p3109(Number(parts.bits), Number(parts.precision), parts.sign === "s", parts.domain === "e");
  } catch (error) {
    if (error instanceof InputError) return void 0;
    throw error;
  }
}
function check(field, came, low, high) {
  if (Number.isInteger(came) && came >= low && came <= high) return;
  throw new InputError("format.integer", { field, low: String(low), high: String(high), came: String(came) });
}

// js/core/formats/catalogue.ts
var formats = catalogue_default.formats.map(
  (row2) => new FloatFormat({
    name: row2.name,
    exponentBits: row2.exponent_bits,
    fractionBits: row2.fraction_bits,
    bias: row2.bias,
    signed: row2.signed,
    infinity: row2.infinity,
    nan: row2.nan,
    hasZero: row2.has_zero,
    aliases: row2.aliases,
    citation: row2.citation
  })
);
var byName = new Map(formats.map((fmt) => [fmt.name, fmt]));
function getFormat(name) {
  return typeof name === "string" ? byName.get(name) ?? p3109Named(name) : void 0;
}

// js/core/gradients/boundaries.ts
var FRACTION_BITS = 52;
var BINADE = 2 ** FRACTION_BITS;
var CLASSES = ["flushed", "subnormal", "normal", "overflow"];
var known2 = /* @__PURE__ */ new WeakMap();
function boundaries(format) {
  const found = known2.get(format);
  if (found) return found;
  const halfUlp = power(2n, format.emin - format.fractionBits - 1);
  const flushed = place(halfUlp, true);
  const subnormal = place(subtract(power(2n, format.emin), halfUlp), false);
  const places = [
    flushed,
    isBelow(subnormal, flushed) ? flushed : subnormal,
    // without a fraction bit nothing is subnormal
    place(format.overflowThreshold, format.overflowTieStays)
  ];
  known2.set(format, places);
  return places;
}
function place(magnitude, tieBelow) {
  const exponent = floorLog2(magnitude);
  const { numerator, denominator } = subtract(divide(magnitude, power(2n, exponent)), rational(1n));
  const scaled = numerator * BigInt(BINADE);
  const whole = scaled / denominator;
  const onGrid = compare(rational(scaled, denominator), rational(whole)) === 0;
  return { exponent, fraction: Number(tieBelow || !onGrid ? whole + 1n : whole) };
}
function isBelow(a, b) {
  return a.exponent < b.exponent || a.exponent === b.exponent && a.fraction < b.fraction;
}
function log2Of({ exponent, fraction }) {
  return exponent + Math.log2(1 + fraction / BINADE);
}

// js/core/gradients/summary.ts
var MAGIC = 1397184333;
var VERSION = 2;
var HEAD = 32;
var GradientSummary = class _GradientSummary {
  /** Fractions of a binade, from 0 to its end, between which values are counted together. */
  edges;
  /** The binades that hold any value, ascending. */
  exponents;
  zero;
  inf;
  nan;
  /** How many finite non-zero values lie below each cell, row by row, and in all. */
  #below;
  /** Of each row a value of its binade, or 0. */
  #samples;
  /** The first row at or after a binade, counted from the lowest binade that holds any value. */
  #rowFrom;
  constructor(edges, exponents, cells, samples, { zero: zero3, inf, nan }) {
    this.edges = edges;
    this.exponents = exponents;
    [this.zero, this.inf, this.nan] = [zero3, inf, nan];
    this.#samples = samples;
    this.#below = new Float64Array(cells.length + 1);
    for (let i = 0; i < cells.length; i++) this.#below[i + 1] = this.#below[i] + cells[i];
    const lowest = exponents[0] ?? 0;
    this.#rowFrom = new Uint16Array((exponents.at(-1) ?? lowest) - lowest + 1);
    for (let row2 = exponents.length - 1, at = this.#rowFrom.length - 1; at >= 0; at--) {
      if (row2 > 0 && exponents[row2 - 1] - lowest >= at) row2--;
      this.#rowFrom[at] = row2;
    }
  }
  /** How many finite non-zero values there are. */
  get finite() {
    return this.#below.at(-1);
  }
  /** How many values there are. */
  get count() {
    return this.zero + this.inf + this.nan + this.finite;
  }
  /** How many values a cell holds: the one between two edges, of a row's binade. */
  held(row2, cell) {
    const at = row2 * (this.edges.length - 1) + cell;
    return this.#below[at + 1] - this.#below[at];
  }
  /** One of the values of the binade from 2^exponent on, as it was; undefined where none was kept. */
  sample(exponent) {
    return this.#samples[this.exponents.indexOf(exponent)] || void 0;
  }
  /** How many finite non-zero values lie below a place, which must be at an edge of the summary. */
  below({ exponent, fraction }) {
    const width = this.edges.length - 1;
    const at = exponent - (this.exponents[0] ?? 0);
    if (at < 0 || this.exponents.length === 0) return 0;
    if (at >= this.#rowFrom.length) return this.finite;
    const row2 = this.#rowFrom[at];
    if (this.exponents[row2] !== exponent) return this.#below[row2 * width];
    const edge = this.edges.indexOf(fraction);
    if (edge < 0) throw new RangeError(`this summary keeps no count at fraction ${fraction}`);
    return this.#below[row2 * width + edge];
  }
  /** The exact classes of the values times 2^log2LossScale, rounded to `format`, ties to even. */
  counts(format, log2LossScale) {
    let below = 0;
    const finite2 = boundaries(format).map(({ exponent, fraction }) => {
      const next = this.below({ exponent: exponent - log2LossScale, fraction });
      const count = next - below;
      below = next;
      return count;
    });
    return { zero: this.zero, inf: this.inf, nan: this.nan, finite: [...finite2, this.finite - below] };
  }
  /** The summary of all the values of several summaries, which must share their edges. The first has the say in samples. */
  static together(parts) {
    const edges = parts[0]?.edges ?? [0, BINADE];
    const alike = (other) => other.length === edges.length && other.every((edge, i) => edge === edges[i]);
    if (!parts.every((part) => alike(part.edges))) throw new RangeError("these summaries differ in kind");
    const width = edges.length - 1;
    const exponents = [...new Set(parts.flatMap((part) => part.exponents))].sort((a, b) => a - b);
    const row2 = new Map(exponents.map((exponent, index) => [exponent, index]));
    const cells = new Float64Array(exponents.length * width);
    const samples = new Float64Array(exponents.length);
    const apart = { zero: 0, inf: 0, nan: 0 };
    for (const part of parts) {
      for (const name of ["zero", "inf", "nan"]) apart[name] += part[name];
      part.exponents.forEach((exponent, from) => {
        const to = row2.get(exponent);
        samples[to] ||= part.#samples[from];
        for (let cell = 0; cell < width; cell++) {
          cells[to * width + cell] += part.held(from, cell);
        }
      });
    }
    return new _GradientSummary(edges, exponents, cells, samples, apart);
  }
  /** The summary that Python's `to_bytes` wrote. Throws RangeError for anything else. */
  static fromBytes(view) {
    const end = view.byteLength - 4;
    if (end < HEAD || view.getUint32(0, true) !== MAGIC) throw new RangeError("these bytes are not a gradient summary");
    const version = view.getUint8(4);
    if (version !== 1 && version !== VERSION) throw new RangeError(`a gradient summary of version ${version} came`);
    if (view.getUint32(end, true) !== crc32(view, end)) throw new RangeError("this gradient summary is damaged");
    const [width, rows] = [view.getUint8(5) + 1, view.getUint16(6, true)];
    const u64 = (at2) => Number(view.getBigUint64(at2, true));
    let at = HEAD;
    const cuts = Array.from({ length: width - 1 }, (_, i) => u64(at + 8 * i));
    at += 8 * cuts.length;
    const exponents = Array.from({ length: rows }, (_, i) => view.getInt16(at + 2 * i, true));
    at += 2 * rows;
    const cells = new Float64Array(rows * width);
    for (let cell = 0; cell < cells.length; cell++) {
      let [byte, unit2] = [view.getUint8(at++), 1];
      let count = byte & 127;
      while (byte >= 128) {
        byte = view.getUint8(at++);
        count += (byte & 127) * (unit2 *= 128);
      }
      cells[cell] = count;
    }
    const samples = new Float64Array(rows);
    for (let row2 = 0; version > 1 && row2 < rows; row2++) {
      let byte = view.getUint8(at++);
      const [isThere, sign] = [byte & 64, byte & 32 ? -1 : 1];
      let [significand, unit2] = [1 + (byte & 31) / 32, 1 / 32];
      while (byte >= 128) {
        byte = view.getUint8(at++);
        significand += (byte & 127) * (unit2 /= 128);
      }
      if (isThere) samples[row2] = sign * significand * 2 ** exponents[row2];
    }
    return new _GradientSummary([0, ...cuts, BINADE], exponents, cells, samples, { zero: u64(8), inf: u64(16), nan: u64(24) });
  }
};
function readSummaries(view) {
  const found = [];
  for (let at = 0; at < view.byteLength; ) {
    const length = view.getUint32(at, true);
    found.push(GradientSummary.fromBytes(new DataView(view.buffer, view.byteOffset + at + 4, length)));
    at += 4 + length;
  }
  return found;
}
var CRC_OF_BYTE = Uint32Array.from({ length: 256 }, (_, crc) => {
  for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ 3988292384 & -(crc & 1);
  return crc;
});
function crc32(view, end) {
  let crc = ~0;
  for (let at = 0; at < end; at++) crc = CRC_OF_BYTE[(crc ^ view.getUint8(at)) & 255] ^ crc >>> 8;
  return ~crc >>> 0;
}

// js/core/gradients/answers.ts
var LOWEST = -24;
var HIGHEST = 40;
var HEADROOM = 4;
var Answers = class {
  constructor(summaries, format) {
    this.summaries = summaries;
    this.format = format;
    this.total = GradientSummary.together(summaries);
    this.#totals = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => finite(this.total, format, i + LOWEST));
    this.best = this.#findBest();
  }
  summaries;
  format;
  /** All tensors as one. */
  total;
  best;
  #totals;
  #tensors = [];
  /** A tensor's four counts, in the order of CLASSES. */
  counts(tensor, log2) {
    const known3 = this.#tensors[log2 - LOWEST] ??= this.summaries.map((one2) => finite(one2, this.format, log2));
    return known3[tensor];
  }
  /** The four counts over all tensors. */
  totals(log2) {
    return this.#totals[log2 - LOWEST];
  }
  /** The rule of best_scale.py: safe `HEADROOM` binades higher, then fewest flushed, fewest subnormal, nearest 1. */
  #findBest() {
    const overflowAt = (log22) => this.total.counts(this.format, log22).finite[3];
    const cost = (log22) => {
      const [flushed, subnormal] = this.totals(log22);
      return [overflowAt(log22 + HEADROOM), flushed, subnormal, Math.abs(log22), log22];
    };
    let [log2, least] = [LOWEST, cost(LOWEST)];
    for (let other = LOWEST + 1; other <= HIGHEST; other++) {
      const its = cost(other);
      const differs = its.findIndex((value2, i) => value2 !== least[i]);
      if (its[differs] < least[differs]) [log2, least] = [other, its];
    }
    const { emax } = this.format;
    const largest = this.total.exponents.at(-1);
    let headroom = largest === void 0 ? Infinity : Math.max(0, emax - largest - log2 - 1);
    while (Number.isFinite(headroom) && overflowAt(log2 + headroom + 1) === 0) headroom++;
    return { log2, headroom: overflowAt(log2) > 0 ? 0 : headroom };
  }
};
function finite(summary, format, log2) {
  return Float64Array.from(summary.counts(format, log2).finite);
}

// js/ui/dom.ts
var SVG = "http://www.w3.org/2000/svg";
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}
function fill(element, attributes, children) {
  set(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== void 0));
  return element;
}
function set(element, attributes) {
  for (const [name, value2] of Object.entries(attributes)) {
    if (value2 === void 0 || value2 === false) {
      element.removeAttribute(name);
      continue;
    }
    const text2 = value2 === true ? "" : String(value2);
    if (element.getAttribute(name) !== text2) element.setAttribute(name, text2);
  }
}
function setText(element, text2) {
  if (element.textContent !== text2) element.textContent = text2;
}
var serial = 0;
function uniqueId(prefix) {
  serial += 1;
  return `mw-${prefix}-${serial}-${Math.random().toString(36).slice(2, 8)}`;
}

// js/ui/keys.ts
var SUPPRESS = "data-lm-suppress-shortcuts";
function keepKeys(root) {
  const keep2 = ({ target }, keeps) => target.toggleAttribute(SUPPRESS, keeps);
  root.addEventListener("focusin", (event) => keep2(event, true));
  root.addEventListener("keyup", (event) => keep2(event, !event.ctrlKey && !event.metaKey));
  root.addEventListener("keydown", (event) => {
    const keeps = !event.ctrlKey && !event.metaKey;
    keep2(event, keeps);
    if (keeps) event.stopPropagation();
  });
}

// js/messages/en.json
var en_default = /* messages */ {"common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","code.form":"{text} is not a code; write it in hex, such as '0x{zeros}'","code.range":"{text} is not a {format} code: it has {bits} bits, so codes end at {last}","format.choice":"{field} must be one of {accepted}; {came} came","format.empty":"no code is left for a finite number other than zero; give the format more bits or fewer special values","format.ieee_pair":"an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither","format.ieee_width":"IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit","format.integer":"{field} must be a whole number from {low} to {high}; {came} came","format.name":"a format needs a name of 1 to {limit} characters","format.nan_place":"NaN can take the code of −0 only in a signed format that has a zero","format.no_nan":"{format} has no NaN; give a number, or choose a format that has one","format.no_sign":"{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate","format.no_zero":"{format} has no zero and no NaN to say so; give a positive number, or let it saturate","explorer.title":"What a loss scale saves","explorer.subtitle":"{format} · {values} gradients of {tensors} tensors","explorer.subtitle_one":"{format} · {values} gradients of 1 tensor","explorer.class_flushed":"flushed to zero","explorer.class_subnormal":"subnormal (fewer bits)","explorer.class_normal":"normal","explorer.class_overflow":"overflow","explorer.zone_flushed":"flushed to zero","explorer.zone_subnormal":"subnormal","explorer.zone_normal":"normal","explorer.zone_overflow":"overflow","explorer.short_flushed":"flushed","explorer.short_subnormal":"sub.","explorer.short_normal":"norm.","explorer.short_overflow":"over","explorer.axis":"|gradient| × S","explorer.gathered":"end bars hold all beyond","explorer.scale":"2^{log2} = {value}","explorer.slider":"loss scale","explorer.valley":"What is lost at every loss scale. {words} The best scale here is 2^{best}.","explorer.valley_best":"▾ best","explorer.valley_nothing":"Nothing is lost from {from} to {to}.","explorer.valley_nothing_at":"Nothing is lost at {from} alone.","explorer.valley_least":"Least is lost from {from} to {to}: {share}.","explorer.valley_least_at":"Least is lost at {from}: {share}.","explorer.field":"exponent of the loss scale","explorer.best":"best here:","explorer.use_it":"use it","explorer.in_use":"in use","explorer.reason":"flushes {share}; headroom {headroom} binades before overflow","explorer.reason_tight":"flushes {share}; no scale leaves 4 binades of headroom, this one {headroom}","explorer.bad_exponent":"The exponent is a whole number from {low} to {high}; {came} came. 2^{kept} stays.","explorer.nothing":"nothing","explorer.below":"below {to}","explorer.above":"{from} and more","explorer.between":"{from} to {to}","explorer.cell":"{place}: {count} gradients ({share}), {kinds}","explorer.cell_empty":"{place}: none","explorer.heat":"All {count} tensors by binade","explorer.heat_hint":"On the ruler of the histogram, most lost first; the stronger a colour, the larger its share of the tensor. What lies beyond the ruler is not drawn. Point at a cell, or move with the arrow keys.","explorer.heat_cell":"{name} · {words}","explorer.compare":"Other formats at this scale","explorer.compare_with":"compared format {which}","explorer.compare_none":"none","explorer.column_flushed":"flushed","explorer.column_subnormal":"subnormal","explorer.column_overflow":"overflow","explorer.column_best":"best scale","explorer.column_error":"relative error, estimate","explorer.compare_note":"The relative error is ‖ĝ − g‖ / ‖g‖, ĝ being g × S rounded to the format and divided by S again; it is estimated from the counts, as if values were spread evenly within each cell of the summary. Where any overflows it is ∞. Flushed gradients are small: they weigh little in it.","explorer.lens":"Binades: arrow keys move, Enter shows the bits","explorer.lens_hint":"Point at a bar or use the arrow keys; a click or Enter shows bits.","explorer.lens_gradient":"A gradient of {name}: {gradient}, × S = {scaled}, kept in {format} as","explorer.lens_title":"The lower edge of this binade, of which no gradient was kept: {gradient}, × S = {scaled}, kept in {format} as","explorer.lens_sign":"sign","explorer.lens_exponent":"exponent","explorer.lens_fraction":"fraction","explorer.lens_value":"= {value} · {kind} · ulp {ulp} · code {code}","explorer.lens_flushed":"= {value} · flushed to zero · code {code}","explorer.lens_overflow":"= {value} · overflow · code {code}","explorer.lens_close":"close","explorer.step":"snapshot by step","explorer.step_is":"gradients of step {step}","explorer.step_newest":"gradients of step {step}, the newest","explorer.step_loss":"loss {loss}","explorer.step_scale":"trained at S = {scale}","explorer.snapshots":"{kept} snapshots","explorer.thinned":"{kept} of {seen} snapshots: the older ones are thinned","explorer.loss_plot":"Loss by step: from {from} at step {first} to {to} at step {last}.","explorer.waiting":"No gradients yet: they appear here as the training loop records them.","explorer.by_tensor":"By tensor, most lost first","explorer.show_all":"Show all {count} tensors","explorer.show_few":"Show the first {count}","explorer.row_flushed":"{share} flushed","explorer.row_overflow":"{flushed} · {share} over","explorer.row_empty":"nothing finite but zeros","explorer.zeros":"Shares are of the finite gradients that are not zero. Exact zeros stand apart: {share} of all ({zero} of {count}) were zero before rounding and are not counted as flushed.","explorer.after_the_fact":"Scaling recorded gradients shows what casting g × S to {format} does; it does not model rounding inside a {format} backward pass. Flushed is not always harm: look at the loss.","explorer.not_finite":"{inf} infinite and {nan} NaN gradients were recorded; no loss scale mends them.","explorer.without":"Without a gradient, and left out: {names}.","explorer.unreadable":"These gradients cannot be shown: {reason}. Run the cell again.","explorer.unknown_format":"{came} cannot be shown; formats are {accepted}."};

// js/ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill2(en_default[key], args);
}
var listed = (parts) => joined("common.list", parts);
function joined(key, parts) {
  const said2 = parts.filter((part) => part !== "");
  return said2.length === 0 ? "" : said2.reduce((one2, more) => t(key, { one: one2, more }));
}
function fill2(template, args) {
  return template.replace(PLACEHOLDER, (whole, name) => Object.hasOwn(args, name) ? String(args[name]) : whole);
}

// js/ui/tab.ts
function kept(key) {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
function keep(key, text2) {
  try {
    if (text2) sessionStorage.setItem(key, text2);
    else sessionStorage.removeItem(key);
  } catch {
  }
}

// js/ui/projector.ts
var KEY = "mixwidgets-projector";
function projectorButton(root) {
  const name = t("common.projector");
  const button = h(
    "button",
    { type: "button", class: "mw-projector-button", "aria-label": name, title: name },
    s(
      "svg",
      { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
      s("path", { d: "M2 3H18M3.5 3V13H16.5V3M10 13V16M6.5 18L10 16L13.5 18" })
    )
  );
  show(root, button, kept(KEY) !== "");
  button.addEventListener("click", () => {
    const large = button.getAttribute("aria-pressed") !== "true";
    keep(KEY, large ? "large" : "");
    show(root, button, large);
    for (const one2 of buttons(document)) show(one2.closest(".mw"), one2, large);
    button.scrollIntoView?.({ block: "nearest" });
  });
  return button;
}
function* buttons(within) {
  yield* within.querySelectorAll(".mw-projector-button");
  for (const { shadowRoot } of within.querySelectorAll("*")) if (shadowRoot) yield* buttons(shadowRoot);
}
function show(root, button, large) {
  set(root, { "data-projector": large });
  set(button, { "aria-pressed": String(large) });
}

// js/ui/card.ts
function card(el, title) {
  const id = uniqueId("title");
  const head = h("div", { class: "mw-head" }, h("h3", { id }, title));
  const root = h("section", { class: "mw mw-stack", lang: t("common.lang"), "aria-labelledby": id });
  root.append(h("div", { class: "mw-card-top" }, head, projectorButton(root)));
  keepKeys(root);
  el.classList.add("mw-place");
  el.append(root);
  return { root, head };
}
function chips(legend, names, choose) {
  const group = uniqueId("chips");
  const inputs = /* @__PURE__ */ new Map();
  const element = h("fieldset", { class: "mw-chips" }, h("legend", { class: "mw-hidden" }, legend));
  for (const name of names) {
    const input = h("input", { type: "radio", name: group, value: name });
    input.addEventListener("change", () => choose(name));
    inputs.set(name, input);
    element.append(h("label", {}, input, name));
  }
  const show2 = (name) => {
    for (const [key, input] of inputs) input.checked = key === name;
  };
  return { element, show: show2 };
}
function chipsAndMore(legend, usual, others, choose) {
  const few2 = chips(legend, usual, choose);
  const more = h(
    "select",
    { class: "mw-more", "aria-label": t("common.more_of", { what: legend }) },
    h("option", { value: "", hidden: true }, t("common.more")),
    ...others.map((name) => h("option", { value: name }, name))
  );
  more.addEventListener("change", () => choose(more.value));
  const show2 = (name) => {
    few2.show(name);
    const listed2 = usual.includes(name) || [...more.options].some((option) => option.value === name);
    if (!listed2) more.append(h("option", { value: name }, name));
    more.value = usual.includes(name) ? "" : name;
    more.classList.toggle("mw-chosen", more.value !== "");
  };
  return { element: h("div", { class: "mw-row mw-choice" }, few2.element, more), show: show2 };
}

// js/ui/pixels.ts
function zoomOf(element) {
  const { width } = element.getBoundingClientRect();
  return (width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1) * untoldZoom(element);
}
function cornerOf(element) {
  const { left, top } = element.getBoundingClientRect();
  const zoom2 = untoldZoom(element);
  return { left: (left + scrollX) * zoom2 - scrollX, top: (top + scrollY) * zoom2 - scrollY };
}
function untoldZoom(element) {
  let zoom2 = 1;
  if (element.currentCSSZoom !== void 0) return zoom2;
  for (let one2 = element; one2; one2 = one2.parentElement) zoom2 *= Number(getComputedStyle(one2).zoom) || 1;
  return zoom2;
}
function observePixels(observer, element) {
  try {
    observer.observe(element, { box: "device-pixel-content-box" });
  } catch {
    observer.observe(element);
  }
}

// js/core/gradients/rounding_error.ts
function estimatedError(summary, format, log2LossScale) {
  if (summary.counts(format, log2LossScale).finite[3] > 0) return Infinity;
  const largest = summary.exponents.at(-1);
  if (largest === void 0) return 0;
  const edges = summary.edges.map((edge) => 1 + edge / BINADE);
  let [lost, whole] = [0, 0];
  summary.exponents.forEach((exponent, row2) => {
    const log2Ulp = Math.max(exponent + log2LossScale, format.emin) - format.fractionBits - log2LossScale - exponent;
    const weight = 4 ** (exponent - largest);
    for (let cell = 0; cell < edges.length - 1; cell++) {
      const count = summary.held(row2, cell);
      if (count === 0) continue;
      const [low, high] = [edges[cell], edges[cell + 1]];
      const square = cell === 0 ? 1 : (low * low + low * high + high * high) / 3;
      lost += weight * count * (cell === 0 ? Number(log2Ulp > 0) : log2Ulp >= 2 ? square : meanSquare(low, high, log2Ulp));
      whole += weight * count * square;
    }
  });
  return Math.sqrt(lost / whole);
}
function meanSquare(low, high, log2Ulp) {
  const ulp2 = 2 ** log2Ulp;
  return ulp2 * ulp2 * (integral(high / ulp2) - integral(low / ulp2)) / (high / ulp2 - low / ulp2);
}
function integral(u) {
  const k = Math.round(u);
  return k / 12 + (u - k) ** 3 / 3;
}

// js/core/formats/encode.ts
function beyond(fmt, negative) {
  if (fmt.infCode === null && fmt.nanCode !== null) return fmt.nanCode;
  return withSign(fmt, fmt.infCode ?? fmt.maxCode, negative);
}
function withSign(fmt, magnitude, negative) {
  if (magnitude === 0n && fmt.hasZero && !fmt.hasNegativeZero) return 0n;
  return negative ? magnitude | fmt.signBit : magnitude;
}
function roundMagnitude(fmt, magnitude, rounding = "ties-to-even", negative = false) {
  if (magnitude.numerator === 0n) return 0n;
  const exponent = Math.max(floorLog2(magnitude), fmt.emin);
  const { numerator, denominator } = divide(magnitude, power(2n, exponent - fmt.fractionBits));
  const significand = numerator / denominator;
  const rest = numerator - significand * denominator;
  const implicit = fmt.hasZero ? 0n : 1n << BigInt(fmt.fractionBits);
  const low = (BigInt(exponent - fmt.emin) << BigInt(fmt.fractionBits)) + significand - implicit;
  const isOdd = (low & 1n) === 1n;
  const mode = rounding === "ties-to-even" && fmt.tiesToLarger ? "ties-to-away" : rounding;
  const code = rest && roundsUp(mode, negative, isOdd, 2n * rest - denominator) ? low + 1n : low;
  return code > 0n ? code : 0n;
}
function roundsUp(rounding, negative, lowIsOdd, beside) {
  switch (rounding) {
    case "ties-to-even":
      return beside > 0n || beside === 0n && lowIsOdd;
    case "ties-to-away":
      return beside >= 0n;
    case "toward-zero":
      return false;
    case "toward-positive":
      return !negative;
    case "toward-negative":
      return negative;
    case "to-odd":
      return !lowIsOdd;
  }
}

// js/core/formats/decode.ts
function fields(fmt, code) {
  const magnitude = code & fmt.allOnes;
  const width = BigInt(fmt.fractionBits);
  return {
    sign: Number(isNegative(fmt, code)),
    biasedExponent: Number(magnitude >> width),
    fraction: magnitude & (1n << width) - 1n
  };
}
function isNegative(fmt, code) {
  return (code & fmt.signBit) !== 0n;
}
function classify(fmt, code) {
  const magnitude = code & fmt.allOnes;
  if (fmt.nan === "negative_zero" && code === fmt.signBit) return "nan";
  if (magnitude > fmt.maxCode) return magnitude === fmt.infCode ? "infinity" : "nan";
  if (!fmt.hasZero || magnitude >> BigInt(fmt.fractionBits)) return "normal";
  return magnitude ? "subnormal" : "zero";
}
function isFinite2(fmt, code) {
  return !["nan", "infinity"].includes(classify(fmt, code));
}
function exact(fmt, code) {
  if (!isFinite2(fmt, code)) throw new RangeError(`${fmt.toHex(code)} has no rational value in ${fmt.name}`);
  const magnitude = fmt.magnitude(code & fmt.allOnes);
  return isNegative(fmt, code) ? negate(magnitude) : magnitude;
}
function ulp(fmt, code) {
  return power(2n, fmt.exponentOf(fields(fmt, code).biasedExponent) - fmt.fractionBits);
}
function toDecimal(fmt, code) {
  const sign = isNegative(fmt, code) ? "-" : "";
  if (classify(fmt, code) === "nan") return "nan";
  if (classify(fmt, code) === "infinity") return sign + "inf";
  return sign + rationalToDecimal(magnitudeOf(exact(fmt, code)));
}
function rationalToDecimal(value2) {
  const places = value2.denominator.toString(2).length - 1;
  const digits = String(value2.numerator * 5n ** BigInt(places)).padStart(places + 1, "0");
  const part = digits.slice(digits.length - places).replace(/0+$/, "");
  return digits.slice(0, digits.length - places) + (places > 0 && part ? "." + part : "");
}
function shortest(fmt, code) {
  const kind = classify(fmt, code);
  if (kind !== "normal" && kind !== "subnormal") return toDecimal(fmt, code);
  const sign = isNegative(fmt, code) ? "-" : "";
  const magnitude = code & fmt.allOnes;
  const value2 = fmt.magnitude(magnitude);
  const exponent = floorLog10(value2);
  for (let count = 1; ; count += 1) {
    const unit2 = power(10n, exponent - count + 1);
    for (const digits of nearestFirst(value2, unit2)) {
      const decimal = multiply(rational(digits), unit2);
      if (digits && roundMagnitude(fmt, decimal) === magnitude) return sign + notation(digits, exponent - count + 1);
    }
  }
}
function nearestFirst(value2, unit2) {
  const below = value2.numerator * unit2.denominator / (value2.denominator * unit2.numerator);
  const distance = (n) => magnitudeOf(subtract(value2, multiply(rational(n), unit2)));
  const order = compare(distance(below), distance(below + 1n)) || Number(below & 1n);
  return order <= 0 ? [below, below + 1n] : [below + 1n, below];
}
function notation(digits, exponent) {
  const all = String(digits);
  const text2 = all.replace(/0+$/, "");
  const point = all.length + exponent;
  if (point > 0 && point <= 21) {
    return text2.length <= point ? text2.padEnd(point, "0") : `${text2.slice(0, point)}.${text2.slice(point)}`;
  }
  if (point > -6 && point <= 0) return "0." + "0".repeat(-point) + text2;
  const power3 = point - 1;
  return text2.slice(0, 1) + (text2.length > 1 ? "." + text2.slice(1) : "") + `e${power3 < 0 ? "-" : "+"}${Math.abs(power3)}`;
}

// js/ui/digits.ts
var SHORT = 22;
function withMinus(text2) {
  return text2.replaceAll("-", "−");
}
function superscript(n) {
  return [...String(n)].map((c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]).join("");
}
function figure(fmt, code) {
  if (!isFinite2(fmt, code)) return { text: withMinus(special(toDecimal(fmt, code))), isExact: true };
  if (fmt.hasNegativeZero && code === fmt.signBit) return { text: "−0", isExact: true };
  const text2 = cut(exact(fmt, code), SHORT);
  const isExact = text2.length <= SHORT && !text2.includes("…");
  return { text: isExact ? text2 : withMinus(shortest(fmt, code)), isExact };
}
function special(text2) {
  return text2 === "nan" ? "NaN" : text2.replace("inf", "∞");
}
function cut(x, most) {
  if (x.numerator === 0n) return "0";
  const sign = x.numerator < 0n ? "−" : "";
  const { digits, exponent, isExact } = leading(x, most);
  if (isExact) return sign + withMinus(notation(digits, exponent));
  const text2 = String(digits);
  const point = text2.length + exponent;
  if (point > 0 && point < text2.length) return `${sign}${text2.slice(0, point)}.${text2.slice(point)}…`;
  if (point > -6 && point <= 0) return `${sign}0.${"0".repeat(-point)}${text2}…`;
  return `${sign}${text2.slice(0, 1)}.${text2.slice(1)}…e${point > 0 ? "+" : "−"}${Math.abs(point - 1)}`;
}
function leading(x, most) {
  const magnitude = magnitudeOf(x);
  const exponent = floorLog10(magnitude) - most + 1;
  const { numerator, denominator } = divide(magnitude, power(10n, exponent));
  const digits = numerator / denominator;
  return { digits, exponent, isExact: digits * denominator === numerator };
}

// mixwidgets/widgets/loss_scale_explorer/words.ts
var integers = new Intl.NumberFormat("en");
var few = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
var rough = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
var small = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
function integer(count) {
  return integers.format(count);
}
function share(count, all) {
  if (count === 0 || all === 0) return "0 %";
  if (count === all) return "100 %";
  const percent2 = 100 * count / all;
  if (percent2 < 0.05) return "<0.1 %";
  return percent2 >= 99.95 ? ">99.9 %" : `${percent2.toFixed(1)} %`;
}
function power2(log2) {
  return `2${superscript(log2)}`;
}
function powerOfTwo(log2) {
  const value2 = 2 ** log2;
  if (log2 >= 0) return String(value2);
  return log2 >= -10 ? String(value2) : value2.toExponential(4);
}
function spokenScale(log2) {
  const value2 = log2 < -10 ? small.format(2 ** log2) : powerOfTwo(log2);
  return t("explorer.scale", { log2, value: value2 });
}
function number(value2) {
  return Number.isFinite(value2) ? few.format(value2) : String(value2).replace("Infinity", "∞").replace("-", "−");
}
function percent(ratio) {
  return Number.isFinite(ratio) ? `${rough.format(100 * ratio)} %` : "∞";
}
function powerOfAny(scale) {
  const log2 = Math.log2(scale);
  return Number.isInteger(log2) ? power2(log2) : number(scale);
}
function cellWords(table, column, { low, bins }, finite2) {
  const counts = table.subarray(column * CLASSES.length, (column + 1) * CLASSES.length);
  const count = counts.reduce((sum, one2) => sum + one2, 0);
  const kinds = CLASSES.filter((_, kind) => counts[kind] > 0).map((kind) => t(`explorer.zone_${kind}`));
  const [from, to] = [power2(low + column), power2(low + column + 1)];
  const place2 = column === 0 ? t("explorer.below", { to }) : column === bins - 1 ? t("explorer.above", { from }) : t("explorer.between", { from, to });
  if (count === 0) return t("explorer.cell_empty", { place: place2 });
  return t("explorer.cell", { place: place2, count: integer(count), share: share(count, finite2), kinds: listed(kinds) });
}

// mixwidgets/widgets/loss_scale_explorer/comparison.ts
var MOST = 3;
var COLUMNS = ["flushed", "subnormal", "overflow", "best", "error"];
function comparison(choices2, choose) {
  const own = h("span");
  const selects = Array.from({ length: MOST }, (_, i) => h(
    "select",
    { "aria-label": t("explorer.compare_with", { which: i + 1 }) },
    h("option", { value: "" }, t("explorer.compare_none")),
    ...choices2.map(({ name }) => h("option", { value: name }, name))
  ));
  for (const select of selects) {
    select.addEventListener("change", () => choose([...new Set(selects.map(({ value: value2 }) => value2).filter(Boolean))]));
  }
  const rows = [own, ...selects].map((head2) => {
    const cells = COLUMNS.map(() => h("td", { role: "cell" }));
    return { element: h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, head2), ...cells), cells };
  });
  const heading = (text2) => h("th", { scope: "col", role: "columnheader" }, text2);
  const head = h("tr", { role: "row" }, heading(t("common.formats")), ...COLUMNS.map((column) => heading(t(`explorer.column_${column}`))));
  const summary = h("summary", {}, t("explorer.compare"));
  const table = h(
    "table",
    { class: "mw-compare", role: "table", "aria-label": t("explorer.compare") },
    h("thead", { role: "rowgroup" }, head),
    h("tbody", { role: "rowgroup" }, ...rows.map((row2) => row2.element))
  );
  const element = h("details", { class: "mw-unfolding" }, summary, table, h("p", { class: "mw-note" }, t("explorer.compare_note")));
  let total;
  let log2 = 0;
  element.addEventListener("toggle", () => draw(log2));
  function replace(answers, compared) {
    total = answers.total;
    setText(own, answers.format.name);
    [answers.format, ...compared].forEach((format, i) => {
      rows[i].answers = format === answers.format ? answers : new Answers([answers.total], format);
    });
    selects.forEach((select, i) => {
      select.value = compared[i]?.name ?? "";
      if (!compared[i]) delete rows[i + 1].answers;
    });
    draw(log2);
  }
  function draw(next) {
    log2 = next;
    if (!element.open || !total) return;
    for (const { answers, cells } of rows) {
      const words2 = answers ? said(answers, total, log2) : COLUMNS.map(() => "");
      cells.forEach((cell, i) => setText(cell, words2[i]));
    }
  }
  return { element, replace, draw };
}
function said(answers, total, log2) {
  const [flushed, subnormal, , overflow] = answers.totals(log2);
  const shares = [flushed, subnormal, overflow].map((count) => share(count, total.finite));
  return [...shares, power2(answers.best.log2), percent(estimatedError(total, answers.format, log2))];
}

// js/ui/pointer.ts
function pointIn(element, { clientX, clientY }) {
  const { left, top } = cornerOf(element);
  const zoom2 = zoomOf(element);
  return { x: (clientX - left) / zoom2, y: (clientY - top) / zoom2 };
}

// ../../../work/main/js/node_modules/d3-array/dist/d3-array.mjs
function ascending(a, b) {
  return a == null || b == null ? NaN : a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN;
}
function descending(a, b) {
  return a == null || b == null ? NaN : b < a ? -1 : b > a ? 1 : b >= a ? 0 : NaN;
}
function bisector(f) {
  let compare1, compare2, delta;
  if (f.length !== 2) {
    compare1 = ascending;
    compare2 = (d, x) => ascending(f(d), x);
    delta = (d, x) => f(d) - x;
  } else {
    compare1 = f === ascending || f === descending ? f : zero;
    compare2 = f;
    delta = f;
  }
  function left(a, x, lo = 0, hi = a.length) {
    if (lo < hi) {
      if (compare1(x, x) !== 0) return hi;
      do {
        const mid = lo + hi >>> 1;
        if (compare2(a[mid], x) < 0) lo = mid + 1;
        else hi = mid;
      } while (lo < hi);
    }
    return lo;
  }
  function right(a, x, lo = 0, hi = a.length) {
    if (lo < hi) {
      if (compare1(x, x) !== 0) return hi;
      do {
        const mid = lo + hi >>> 1;
        if (compare2(a[mid], x) <= 0) lo = mid + 1;
        else hi = mid;
      } while (lo < hi);
    }
    return lo;
  }
  function center(a, x, lo = 0, hi = a.length) {
    const i = left(a, x, lo, hi - 1);
    return i > lo && delta(a[i - 1], x) > -delta(a[i], x) ? i - 1 : i;
  }
  return { left, center, right };
}
function zero() {
  return 0;
}
function number2(x) {
  return x === null ? NaN : +x;
}
var ascendingBisect = bisector(ascending);
var bisectRight = ascendingBisect.right;
var bisectLeft = ascendingBisect.left;
var bisectCenter = bisector(number2).center;
var blur2 = Blur2(blurf);
var blurImage = Blur2(blurfImage);
function Blur2(blur) {
  return function(data, rx, ry = rx) {
    if (!((rx = +rx) >= 0)) throw new RangeError("invalid rx");
    if (!((ry = +ry) >= 0)) throw new RangeError("invalid ry");
    let { data: values, width, height } = data;
    if (!((width = Math.floor(width)) >= 0)) throw new RangeError("invalid width");
    if (!((height = Math.floor(height !== void 0 ? height : values.length / width)) >= 0)) throw new RangeError("invalid height");
    if (!width || !height || !rx && !ry) return data;
    const blurx = rx && blur(rx);
    const blury = ry && blur(ry);
    const temp = values.slice();
    if (blurx && blury) {
      blurh(blurx, temp, values, width, height);
      blurh(blurx, values, temp, width, height);
      blurh(blurx, temp, values, width, height);
      blurv(blury, values, temp, width, height);
      blurv(blury, temp, values, width, height);
      blurv(blury, values, temp, width, height);
    } else if (blurx) {
      blurh(blurx, values, temp, width, height);
      blurh(blurx, temp, values, width, height);
      blurh(blurx, values, temp, width, height);
    } else if (blury) {
      blurv(blury, values, temp, width, height);
      blurv(blury, temp, values, width, height);
      blurv(blury, values, temp, width, height);
    }
    return data;
  };
}
function blurh(blur, T, S, w, h2) {
  for (let y = 0, n = w * h2; y < n; ) {
    blur(T, S, y, y += w, 1);
  }
}
function blurv(blur, T, S, w, h2) {
  for (let x = 0, n = w * h2; x < w; ++x) {
    blur(T, S, x, x + n, w);
  }
}
function blurfImage(radius) {
  const blur = blurf(radius);
  return (T, S, start, stop, step) => {
    start <<= 2, stop <<= 2, step <<= 2;
    blur(T, S, start + 0, stop + 0, step);
    blur(T, S, start + 1, stop + 1, step);
    blur(T, S, start + 2, stop + 2, step);
    blur(T, S, start + 3, stop + 3, step);
  };
}
function blurf(radius) {
  const radius0 = Math.floor(radius);
  if (radius0 === radius) return bluri(radius);
  const t2 = radius - radius0;
  const w = 2 * radius + 1;
  return (T, S, start, stop, step) => {
    if (!((stop -= step) >= start)) return;
    let sum = radius0 * S[start];
    const s0 = step * radius0;
    const s1 = s0 + step;
    for (let i = start, j = start + s0; i < j; i += step) {
      sum += S[Math.min(stop, i)];
    }
    for (let i = start, j = stop; i <= j; i += step) {
      sum += S[Math.min(stop, i + s0)];
      T[i] = (sum + t2 * (S[Math.max(start, i - s1)] + S[Math.min(stop, i + s1)])) / w;
      sum -= S[Math.max(start, i - s0)];
    }
  };
}
function bluri(radius) {
  const w = 2 * radius + 1;
  return (T, S, start, stop, step) => {
    if (!((stop -= step) >= start)) return;
    let sum = radius * S[start];
    const s2 = step * radius;
    for (let i = start, j = start + s2; i < j; i += step) {
      sum += S[Math.min(stop, i)];
    }
    for (let i = start, j = stop; i <= j; i += step) {
      sum += S[Math.min(stop, i + s2)];
      T[i] = sum / w;
      sum -= S[Math.max(start, i - s2)];
    }
  };
}
var array = Array.prototype;
var slice = array.slice;
var e10 = Math.sqrt(50);
var e5 = Math.sqrt(10);
var e2 = Math.sqrt(2);
function tickSpec(start, stop, count) {
  const step = (stop - start) / Math.max(0, count), power3 = Math.floor(Math.log10(step)), error = step / Math.pow(10, power3), factor = error >= e10 ? 10 : error >= e5 ? 5 : error >= e2 ? 2 : 1;
  let i1, i2, inc;
  if (power3 < 0) {
    inc = Math.pow(10, -power3) / factor;
    i1 = Math.round(start * inc);
    i2 = Math.round(stop * inc);
    if (i1 / inc < start) ++i1;
    if (i2 / inc > stop) --i2;
    inc = -inc;
  } else {
    inc = Math.pow(10, power3) * factor;
    i1 = Math.round(start / inc);
    i2 = Math.round(stop / inc);
    if (i1 * inc < start) ++i1;
    if (i2 * inc > stop) --i2;
  }
  if (i2 < i1 && 0.5 <= count && count < 2) return tickSpec(start, stop, count * 2);
  return [i1, i2, inc];
}
function ticks(start, stop, count) {
  stop = +stop, start = +start, count = +count;
  if (!(count > 0)) return [];
  if (start === stop) return [start];
  const reverse = stop < start, [i1, i2, inc] = reverse ? tickSpec(stop, start, count) : tickSpec(start, stop, count);
  if (!(i2 >= i1)) return [];
  const n = i2 - i1 + 1, ticks2 = new Array(n);
  if (reverse) {
    if (inc < 0) for (let i = 0; i < n; ++i) ticks2[i] = (i2 - i) / -inc;
    else for (let i = 0; i < n; ++i) ticks2[i] = (i2 - i) * inc;
  } else {
    if (inc < 0) for (let i = 0; i < n; ++i) ticks2[i] = (i1 + i) / -inc;
    else for (let i = 0; i < n; ++i) ticks2[i] = (i1 + i) * inc;
  }
  return ticks2;
}
function tickIncrement(start, stop, count) {
  stop = +stop, start = +start, count = +count;
  return tickSpec(start, stop, count)[2];
}
function tickStep(start, stop, count) {
  stop = +stop, start = +start, count = +count;
  const reverse = stop < start, inc = reverse ? tickIncrement(stop, start, count) : tickIncrement(start, stop, count);
  return (reverse ? -1 : 1) * (inc < 0 ? 1 / -inc : inc);
}
var shuffle = shuffler(Math.random);
function shuffler(random) {
  return function shuffle2(array2, i0 = 0, i1 = array2.length) {
    let m = i1 - (i0 = +i0);
    while (m) {
      const i = random() * m-- | 0, t2 = array2[m + i0];
      array2[m + i0] = array2[i + i0];
      array2[i + i0] = t2;
    }
    return array2;
  };
}

// js/ui/unused_d3.ts
function unused() {
  return null;
}

// ../../../work/main/js/node_modules/d3-interpolate/dist/d3-interpolate.mjs
function basis(t1, v0, v1, v2, v3) {
  var t2 = t1 * t1, t3 = t2 * t1;
  return ((1 - 3 * t1 + 3 * t2 - t3) * v0 + (4 - 6 * t2 + 3 * t3) * v1 + (1 + 3 * t1 + 3 * t2 - 3 * t3) * v2 + t3 * v3) / 6;
}
function basis$1(values) {
  var n = values.length - 1;
  return function(t2) {
    var i = t2 <= 0 ? t2 = 0 : t2 >= 1 ? (t2 = 1, n - 1) : Math.floor(t2 * n), v1 = values[i], v2 = values[i + 1], v0 = i > 0 ? values[i - 1] : 2 * v1 - v2, v3 = i < n - 1 ? values[i + 2] : 2 * v2 - v1;
    return basis((t2 - i / n) * n, v0, v1, v2, v3);
  };
}
function basisClosed(values) {
  var n = values.length;
  return function(t2) {
    var i = Math.floor(((t2 %= 1) < 0 ? ++t2 : t2) * n), v0 = values[(i + n - 1) % n], v1 = values[i % n], v2 = values[(i + 1) % n], v3 = values[(i + 2) % n];
    return basis((t2 - i / n) * n, v0, v1, v2, v3);
  };
}
var constant = (x) => () => x;
function linear(a, d) {
  return function(t2) {
    return a + t2 * d;
  };
}
function exponential(a, b, y) {
  return a = Math.pow(a, y), b = Math.pow(b, y) - a, y = 1 / y, function(t2) {
    return Math.pow(a + t2 * b, y);
  };
}
function hue$1(a, b) {
  var d = b - a;
  return d ? linear(a, d > 180 || d < -180 ? d - 360 * Math.round(d / 360) : d) : constant(isNaN(a) ? b : a);
}
function gamma(y) {
  return (y = +y) === 1 ? nogamma : function(a, b) {
    return b - a ? exponential(a, b, y) : constant(isNaN(a) ? b : a);
  };
}
function nogamma(a, b) {
  var d = b - a;
  return d ? linear(a, d) : constant(isNaN(a) ? b : a);
}
var rgb = (function rgbGamma(y) {
  var color = gamma(y);
  function rgb2(start, end) {
    var r = color((start = unused(start)).r, (end = unused(end)).r), g = color(start.g, end.g), b = color(start.b, end.b), opacity = nogamma(start.opacity, end.opacity);
    return function(t2) {
      start.r = r(t2);
      start.g = g(t2);
      start.b = b(t2);
      start.opacity = opacity(t2);
      return start + "";
    };
  }
  rgb2.gamma = rgbGamma;
  return rgb2;
})(1);
function rgbSpline(spline) {
  return function(colors) {
    var n = colors.length, r = new Array(n), g = new Array(n), b = new Array(n), i, color;
    for (i = 0; i < n; ++i) {
      color = unused(colors[i]);
      r[i] = color.r || 0;
      g[i] = color.g || 0;
      b[i] = color.b || 0;
    }
    r = spline(r);
    g = spline(g);
    b = spline(b);
    color.opacity = 1;
    return function(t2) {
      color.r = r(t2);
      color.g = g(t2);
      color.b = b(t2);
      return color + "";
    };
  };
}
var rgbBasis = rgbSpline(basis$1);
var rgbBasisClosed = rgbSpline(basisClosed);
function numberArray(a, b) {
  if (!b) b = [];
  var n = a ? Math.min(b.length, a.length) : 0, c = b.slice(), i;
  return function(t2) {
    for (i = 0; i < n; ++i) c[i] = a[i] * (1 - t2) + b[i] * t2;
    return c;
  };
}
function isNumberArray(x) {
  return ArrayBuffer.isView(x) && !(x instanceof DataView);
}
function genericArray(a, b) {
  var nb = b ? b.length : 0, na = a ? Math.min(nb, a.length) : 0, x = new Array(na), c = new Array(nb), i;
  for (i = 0; i < na; ++i) x[i] = value(a[i], b[i]);
  for (; i < nb; ++i) c[i] = b[i];
  return function(t2) {
    for (i = 0; i < na; ++i) c[i] = x[i](t2);
    return c;
  };
}
function date(a, b) {
  var d = /* @__PURE__ */ new Date();
  return a = +a, b = +b, function(t2) {
    return d.setTime(a * (1 - t2) + b * t2), d;
  };
}
function number3(a, b) {
  return a = +a, b = +b, function(t2) {
    return a * (1 - t2) + b * t2;
  };
}
function object(a, b) {
  var i = {}, c = {}, k;
  if (a === null || typeof a !== "object") a = {};
  if (b === null || typeof b !== "object") b = {};
  for (k in b) {
    if (k in a) {
      i[k] = value(a[k], b[k]);
    } else {
      c[k] = b[k];
    }
  }
  return function(t2) {
    for (k in i) c[k] = i[k](t2);
    return c;
  };
}
var reA = /[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g;
var reB = new RegExp(reA.source, "g");
function zero2(b) {
  return function() {
    return b;
  };
}
function one(b) {
  return function(t2) {
    return b(t2) + "";
  };
}
function string(a, b) {
  var bi = reA.lastIndex = reB.lastIndex = 0, am, bm, bs, i = -1, s2 = [], q = [];
  a = a + "", b = b + "";
  while ((am = reA.exec(a)) && (bm = reB.exec(b))) {
    if ((bs = bm.index) > bi) {
      bs = b.slice(bi, bs);
      if (s2[i]) s2[i] += bs;
      else s2[++i] = bs;
    }
    if ((am = am[0]) === (bm = bm[0])) {
      if (s2[i]) s2[i] += bm;
      else s2[++i] = bm;
    } else {
      s2[++i] = null;
      q.push({ i, x: number3(am, bm) });
    }
    bi = reB.lastIndex;
  }
  if (bi < b.length) {
    bs = b.slice(bi);
    if (s2[i]) s2[i] += bs;
    else s2[++i] = bs;
  }
  return s2.length < 2 ? q[0] ? one(q[0].x) : zero2(b) : (b = q.length, function(t2) {
    for (var i2 = 0, o; i2 < b; ++i2) s2[(o = q[i2]).i] = o.x(t2);
    return s2.join("");
  });
}
function value(a, b) {
  var t2 = typeof b, c;
  return b == null || t2 === "boolean" ? constant(b) : (t2 === "number" ? number3 : t2 === "string" ? (c = unused(b)) ? (b = c, rgb) : string : b instanceof unused ? rgb : b instanceof Date ? date : isNumberArray(b) ? numberArray : Array.isArray(b) ? genericArray : typeof b.valueOf !== "function" && typeof b.toString !== "function" || isNaN(b) ? object : number3)(a, b);
}
function round(a, b) {
  return a = +a, b = +b, function(t2) {
    return Math.round(a * (1 - t2) + b * t2);
  };
}
var degrees = 180 / Math.PI;
var identity = {
  translateX: 0,
  translateY: 0,
  rotate: 0,
  skewX: 0,
  scaleX: 1,
  scaleY: 1
};
function decompose(a, b, c, d, e, f) {
  var scaleX, scaleY, skewX;
  if (scaleX = Math.sqrt(a * a + b * b)) a /= scaleX, b /= scaleX;
  if (skewX = a * c + b * d) c -= a * skewX, d -= b * skewX;
  if (scaleY = Math.sqrt(c * c + d * d)) c /= scaleY, d /= scaleY, skewX /= scaleY;
  if (a * d < b * c) a = -a, b = -b, skewX = -skewX, scaleX = -scaleX;
  return {
    translateX: e,
    translateY: f,
    rotate: Math.atan2(b, a) * degrees,
    skewX: Math.atan(skewX) * degrees,
    scaleX,
    scaleY
  };
}
var svgNode;
function parseCss(value2) {
  const m = new (typeof DOMMatrix === "function" ? DOMMatrix : WebKitCSSMatrix)(value2 + "");
  return m.isIdentity ? identity : decompose(m.a, m.b, m.c, m.d, m.e, m.f);
}
function parseSvg(value2) {
  if (value2 == null) return identity;
  if (!svgNode) svgNode = document.createElementNS("http://www.w3.org/2000/svg", "g");
  svgNode.setAttribute("transform", value2);
  if (!(value2 = svgNode.transform.baseVal.consolidate())) return identity;
  value2 = value2.matrix;
  return decompose(value2.a, value2.b, value2.c, value2.d, value2.e, value2.f);
}
function interpolateTransform(parse, pxComma, pxParen, degParen) {
  function pop(s2) {
    return s2.length ? s2.pop() + " " : "";
  }
  function translate(xa, ya, xb, yb, s2, q) {
    if (xa !== xb || ya !== yb) {
      var i = s2.push("translate(", null, pxComma, null, pxParen);
      q.push({ i: i - 4, x: number3(xa, xb) }, { i: i - 2, x: number3(ya, yb) });
    } else if (xb || yb) {
      s2.push("translate(" + xb + pxComma + yb + pxParen);
    }
  }
  function rotate(a, b, s2, q) {
    if (a !== b) {
      if (a - b > 180) b += 360;
      else if (b - a > 180) a += 360;
      q.push({ i: s2.push(pop(s2) + "rotate(", null, degParen) - 2, x: number3(a, b) });
    } else if (b) {
      s2.push(pop(s2) + "rotate(" + b + degParen);
    }
  }
  function skewX(a, b, s2, q) {
    if (a !== b) {
      q.push({ i: s2.push(pop(s2) + "skewX(", null, degParen) - 2, x: number3(a, b) });
    } else if (b) {
      s2.push(pop(s2) + "skewX(" + b + degParen);
    }
  }
  function scale(xa, ya, xb, yb, s2, q) {
    if (xa !== xb || ya !== yb) {
      var i = s2.push(pop(s2) + "scale(", null, ",", null, ")");
      q.push({ i: i - 4, x: number3(xa, xb) }, { i: i - 2, x: number3(ya, yb) });
    } else if (xb !== 1 || yb !== 1) {
      s2.push(pop(s2) + "scale(" + xb + "," + yb + ")");
    }
  }
  return function(a, b) {
    var s2 = [], q = [];
    a = parse(a), b = parse(b);
    translate(a.translateX, a.translateY, b.translateX, b.translateY, s2, q);
    rotate(a.rotate, b.rotate, s2, q);
    skewX(a.skewX, b.skewX, s2, q);
    scale(a.scaleX, a.scaleY, b.scaleX, b.scaleY, s2, q);
    a = b = null;
    return function(t2) {
      var i = -1, n = q.length, o;
      while (++i < n) s2[(o = q[i]).i] = o.x(t2);
      return s2.join("");
    };
  };
}
var interpolateTransformCss = interpolateTransform(parseCss, "px, ", "px)", "deg)");
var interpolateTransformSvg = interpolateTransform(parseSvg, ", ", ")", ")");
var epsilon2 = 1e-12;
function cosh(x) {
  return ((x = Math.exp(x)) + 1 / x) / 2;
}
function sinh(x) {
  return ((x = Math.exp(x)) - 1 / x) / 2;
}
function tanh(x) {
  return ((x = Math.exp(2 * x)) - 1) / (x + 1);
}
var zoom = (function zoomRho(rho, rho2, rho4) {
  function zoom2(p0, p1) {
    var ux0 = p0[0], uy0 = p0[1], w0 = p0[2], ux1 = p1[0], uy1 = p1[1], w1 = p1[2], dx = ux1 - ux0, dy = uy1 - uy0, d2 = dx * dx + dy * dy, i, S;
    if (d2 < epsilon2) {
      S = Math.log(w1 / w0) / rho;
      i = function(t2) {
        return [
          ux0 + t2 * dx,
          uy0 + t2 * dy,
          w0 * Math.exp(rho * t2 * S)
        ];
      };
    } else {
      var d1 = Math.sqrt(d2), b0 = (w1 * w1 - w0 * w0 + rho4 * d2) / (2 * w0 * rho2 * d1), b1 = (w1 * w1 - w0 * w0 - rho4 * d2) / (2 * w1 * rho2 * d1), r0 = Math.log(Math.sqrt(b0 * b0 + 1) - b0), r1 = Math.log(Math.sqrt(b1 * b1 + 1) - b1);
      S = (r1 - r0) / rho;
      i = function(t2) {
        var s2 = t2 * S, coshr0 = cosh(r0), u = w0 / (rho2 * d1) * (coshr0 * tanh(rho * s2 + r0) - sinh(r0));
        return [
          ux0 + u * dx,
          uy0 + u * dy,
          w0 * coshr0 / cosh(rho * s2 + r0)
        ];
      };
    }
    i.duration = Math.abs(S) * 1e3 * rho / Math.SQRT2;
    return i;
  }
  zoom2.rho = function(_) {
    var _1 = Math.max(1e-3, +_), _2 = _1 * _1, _4 = _2 * _2;
    return zoomRho(_1, _2, _4);
  };
  return zoom2;
})(Math.SQRT2, 2, 4);
function hsl(hue) {
  return function(start, end) {
    var h2 = hue((start = unused(start)).h, (end = unused(end)).h), s2 = nogamma(start.s, end.s), l = nogamma(start.l, end.l), opacity = nogamma(start.opacity, end.opacity);
    return function(t2) {
      start.h = h2(t2);
      start.s = s2(t2);
      start.l = l(t2);
      start.opacity = opacity(t2);
      return start + "";
    };
  };
}
var hsl_default = hsl(hue$1);
var hslLong = hsl(nogamma);
function hcl(hue) {
  return function(start, end) {
    var h2 = hue((start = unused(start)).h, (end = unused(end)).h), c = nogamma(start.c, end.c), l = nogamma(start.l, end.l), opacity = nogamma(start.opacity, end.opacity);
    return function(t2) {
      start.h = h2(t2);
      start.c = c(t2);
      start.l = l(t2);
      start.opacity = opacity(t2);
      return start + "";
    };
  };
}
var hcl_default = hcl(hue$1);
var hclLong = hcl(nogamma);
function cubehelix(hue) {
  return (function cubehelixGamma(y) {
    y = +y;
    function cubehelix2(start, end) {
      var h2 = hue((start = unused(start)).h, (end = unused(end)).h), s2 = nogamma(start.s, end.s), l = nogamma(start.l, end.l), opacity = nogamma(start.opacity, end.opacity);
      return function(t2) {
        start.h = h2(t2);
        start.s = s2(t2);
        start.l = l(Math.pow(t2, y));
        start.opacity = opacity(t2);
        return start + "";
      };
    }
    cubehelix2.gamma = cubehelixGamma;
    return cubehelix2;
  })(1);
}
var cubehelix_default = cubehelix(hue$1);
var cubehelixLong = cubehelix(nogamma);

// ../../../work/main/js/node_modules/d3-scale/dist/d3-scale.mjs
function initRange(domain2, range2) {
  switch (arguments.length) {
    case 0:
      break;
    case 1:
      this.range(domain2);
      break;
    default:
      this.range(range2).domain(domain2);
      break;
  }
  return this;
}
function constants(x) {
  return function() {
    return x;
  };
}
function number$1(x) {
  return +x;
}
var unit = [0, 1];
function identity$1(x) {
  return x;
}
function normalize(a, b) {
  return (b -= a = +a) ? function(x) {
    return (x - a) / b;
  } : constants(isNaN(b) ? NaN : 0.5);
}
function clamper(a, b) {
  var t2;
  if (a > b) t2 = a, a = b, b = t2;
  return function(x) {
    return Math.max(a, Math.min(b, x));
  };
}
function bimap(domain2, range2, interpolate) {
  var d0 = domain2[0], d1 = domain2[1], r0 = range2[0], r1 = range2[1];
  if (d1 < d0) d0 = normalize(d1, d0), r0 = interpolate(r1, r0);
  else d0 = normalize(d0, d1), r0 = interpolate(r0, r1);
  return function(x) {
    return r0(d0(x));
  };
}
function polymap(domain2, range2, interpolate) {
  var j = Math.min(domain2.length, range2.length) - 1, d = new Array(j), r = new Array(j), i = -1;
  if (domain2[j] < domain2[0]) {
    domain2 = domain2.slice().reverse();
    range2 = range2.slice().reverse();
  }
  while (++i < j) {
    d[i] = normalize(domain2[i], domain2[i + 1]);
    r[i] = interpolate(range2[i], range2[i + 1]);
  }
  return function(x) {
    var i2 = bisectRight(domain2, x, 1, j) - 1;
    return r[i2](d[i2](x));
  };
}
function copy$1(source, target) {
  return target.domain(source.domain()).range(source.range()).interpolate(source.interpolate()).clamp(source.clamp()).unknown(source.unknown());
}
function transformer$2() {
  var domain2 = unit, range2 = unit, interpolate$1 = value, transform, untransform, unknown, clamp = identity$1, piecewise2, output, input;
  function rescale() {
    var n = Math.min(domain2.length, range2.length);
    if (clamp !== identity$1) clamp = clamper(domain2[0], domain2[n - 1]);
    piecewise2 = n > 2 ? polymap : bimap;
    output = input = null;
    return scale;
  }
  function scale(x) {
    return x == null || isNaN(x = +x) ? unknown : (output || (output = piecewise2(domain2.map(transform), range2, interpolate$1)))(transform(clamp(x)));
  }
  scale.invert = function(y) {
    return clamp(untransform((input || (input = piecewise2(range2, domain2.map(transform), number3)))(y)));
  };
  scale.domain = function(_) {
    return arguments.length ? (domain2 = Array.from(_, number$1), rescale()) : domain2.slice();
  };
  scale.range = function(_) {
    return arguments.length ? (range2 = Array.from(_), rescale()) : range2.slice();
  };
  scale.rangeRound = function(_) {
    return range2 = Array.from(_), interpolate$1 = round, rescale();
  };
  scale.clamp = function(_) {
    return arguments.length ? (clamp = _ ? true : identity$1, rescale()) : clamp !== identity$1;
  };
  scale.interpolate = function(_) {
    return arguments.length ? (interpolate$1 = _, rescale()) : interpolate$1;
  };
  scale.unknown = function(_) {
    return arguments.length ? (unknown = _, scale) : unknown;
  };
  return function(t2, u) {
    transform = t2, untransform = u;
    return rescale();
  };
}
function continuous() {
  return transformer$2()(identity$1, identity$1);
}
function tickFormat(start, stop, count, specifier) {
  var step = tickStep(start, stop, count), precision;
  specifier = unused(specifier == null ? ",f" : specifier);
  switch (specifier.type) {
    case "s": {
      var value2 = Math.max(Math.abs(start), Math.abs(stop));
      if (specifier.precision == null && !isNaN(precision = unused(step, value2))) specifier.precision = precision;
      return unused(specifier, value2);
    }
    case "":
    case "e":
    case "g":
    case "p":
    case "r": {
      if (specifier.precision == null && !isNaN(precision = unused(step, Math.max(Math.abs(start), Math.abs(stop))))) specifier.precision = precision - (specifier.type === "e");
      break;
    }
    case "f":
    case "%": {
      if (specifier.precision == null && !isNaN(precision = unused(step))) specifier.precision = precision - (specifier.type === "%") * 2;
      break;
    }
  }
  return unused(specifier);
}
function linearish(scale) {
  var domain2 = scale.domain;
  scale.ticks = function(count) {
    var d = domain2();
    return ticks(d[0], d[d.length - 1], count == null ? 10 : count);
  };
  scale.tickFormat = function(count, specifier) {
    var d = domain2();
    return tickFormat(d[0], d[d.length - 1], count == null ? 10 : count, specifier);
  };
  scale.nice = function(count) {
    if (count == null) count = 10;
    var d = domain2();
    var i0 = 0;
    var i1 = d.length - 1;
    var start = d[i0];
    var stop = d[i1];
    var prestep;
    var step;
    var maxIter = 10;
    if (stop < start) {
      step = start, start = stop, stop = step;
      step = i0, i0 = i1, i1 = step;
    }
    while (maxIter-- > 0) {
      step = tickIncrement(start, stop, count);
      if (step === prestep) {
        d[i0] = start;
        d[i1] = stop;
        return domain2(d);
      } else if (step > 0) {
        start = Math.floor(start / step) * step;
        stop = Math.ceil(stop / step) * step;
      } else if (step < 0) {
        start = Math.ceil(start * step) / step;
        stop = Math.floor(stop * step) / step;
      } else {
        break;
      }
      prestep = step;
    }
    return scale;
  };
  return scale;
}
function linear2() {
  var scale = continuous();
  scale.copy = function() {
    return copy$1(scale, linear2());
  };
  initRange.apply(scale, arguments);
  return linearish(scale);
}

// mixwidgets/widgets/loss_scale_explorer/geometry.ts
var BELOW = 25;
var ABOVE = 4;
var LEAST_HEIGHT = 1.5;
function domain(format) {
  return { low: format.emin - format.fractionBits - 1 - BELOW, high: format.emax + 1 + ABOVE };
}
function zones(format) {
  const { low, high } = domain(format);
  const ends = [low, ...boundaries(format).map(log2Of), high];
  return CLASSES.map((_, kind) => ({ kind, from: ends[kind], to: ends[kind + 1] }));
}
function binned(total, format, log2LossScale) {
  const { low, high } = domain(format);
  const places = boundaries(format);
  const table = new Float64Array((high - low) * CLASSES.length);
  for (const exponent of total.exponents) {
    const scaled = exponent + log2LossScale;
    const bin = Math.min(Math.max(scaled, low), high - 1) - low;
    const start = total.below({ exponent, fraction: 0 });
    const end = total.below({ exponent, fraction: BINADE });
    let from = start;
    CLASSES.forEach((_, kind) => {
      const place2 = places[kind];
      const ends = place2 === void 0 || place2.exponent > scaled ? end : place2.exponent < scaled ? start : total.below({ exponent, fraction: place2.fraction });
      table[bin * CLASSES.length + kind] += Math.max(0, ends - from);
      from = Math.max(from, ends);
    });
  }
  return table;
}
function frame(format, width, height, most) {
  const { low, high } = domain(format);
  const y = linear2([0, Math.max(1, most)], [0, height]).clamp(true);
  return { x: linear2([low, high], [0, width]), y, low, bins: high - low };
}
function tallest(total) {
  const height = (exponent) => total.below({ exponent, fraction: BINADE }) - total.below({ exponent, fraction: 0 });
  return Math.max(0, ...total.exponents.map(height));
}
function barPaths(table, { x, y, low, bins }, floor) {
  const paths = CLASSES.map(() => "");
  const step = x(low + 1) - x(low);
  const gap = step >= 4 ? 1 : 0;
  for (let bin = 0; bin < bins; bin++) {
    const left = (x(low + bin) + gap / 2).toFixed(1);
    const width = (step - gap).toFixed(1);
    let below = 0;
    let top = floor;
    for (let kind = 0; kind < CLASSES.length; kind++) {
      const count = table[bin * CLASSES.length + kind];
      if (count === 0) continue;
      below += count;
      const next = Math.min(floor - y(below), top - LEAST_HEIGHT);
      paths[kind] += `M${left} ${top.toFixed(1)}V${next.toFixed(1)}h${width}V${top.toFixed(1)}z`;
      top = next;
    }
  }
  return paths;
}

// mixwidgets/widgets/loss_scale_explorer/heat_map.ts
var FEW = 12;
var MOST_HEIGHT = 420;
var THIN = 3;
var NAMED = 12;
var NAMES = 150;
var PALEST = 0.16;
var MOST_PIXELS = 2 ** 23;
function heatMap(textures2) {
  const canvas = h("canvas", { class: "mw-heat", "aria-hidden": "true" });
  const cell = h("p", { class: "mw-heat-cell" });
  const hint = h("p", { class: "mw-note" }, t("explorer.heat_hint"));
  const id = uniqueId("heat");
  const group = h("div", { role: "group", tabindex: 0, class: "mw-heat-group", "aria-labelledby": id }, canvas);
  const summary = h("summary", { id });
  const element = h("details", { class: "mw-unfolding" }, summary, h("div", { class: "mw-stack-tight" }, group, cell, hint));
  let shown2;
  let latest;
  let [row2, column, log2] = [0, 0, 0];
  let isPointed = false;
  element.addEventListener("toggle", () => {
    if (element.open && latest) paint(...latest);
  });
  group.addEventListener("keydown", (event) => {
    if (!shown2 || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    point(row2 + step[0], column + step[1]);
  });
  group.addEventListener("focus", () => {
    set(cell, { "aria-live": "polite" });
    point(row2, column);
  });
  group.addEventListener("blur", () => set(cell, { "aria-live": void 0 }));
  canvas.addEventListener("pointermove", (event) => {
    if (!shown2) return;
    const { shape, left, high } = shown2;
    const { x, y } = pointIn(canvas, event);
    point(Math.floor(y / high), Math.floor(shape.x.invert(x - left)) - shape.low);
  });
  function layout(...next) {
    latest = next;
    const { length } = next[1];
    element.hidden = length <= FEW;
    setText(summary, t("explorer.heat", { count: length }));
    if (element.open && !element.hidden) paint(...next);
  }
  function paint(answers, names, order, width) {
    const high = Math.max(THIN, Math.min(16, Math.floor(MOST_HEIGHT / names.length)));
    const left = high >= NAMED && width >= 600 ? NAMES : 0;
    const fills = CLASSES.map((kind) => getComputedStyle(textures2.element.querySelector(`.mw-fill-${kind}`)).fill);
    const { color: ink, fontFamily } = getComputedStyle(canvas);
    const shape = frame(answers.format, width - left, 1, 1);
    const [lowest, mask] = painted(answers, order);
    const height = high * names.length;
    const ratio = Math.min((globalThis.devicePixelRatio || 1) * zoomOf(canvas), Math.sqrt(MOST_PIXELS / (width * height)));
    const labels = h("canvas", { width: Math.max(1, Math.round(left * ratio)), height: Math.round(height * ratio) });
    shown2 = { answers, names, order, shape, high, left, ratio, mask, lowest, fills, ink, labels };
    if (left) label(labels, order.map((tensor) => names[tensor]), high * ratio, `${12 * ratio}px ${fontFamily}`, ink);
    [canvas.width, canvas.height] = [Math.round(width * ratio), labels.height];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    row2 = Math.min(row2, order.length - 1);
    column = isPointed ? Math.min(column, shape.bins - 1) : Math.floor(shape.bins / 2);
    draw(log2);
  }
  function draw(next) {
    log2 = next;
    if (!element.open || !shown2) return;
    if (isPointed) say(shown2);
    const pen = canvas.getContext("2d");
    if (!pen) return;
    const { answers, shape, high, left, ratio, mask, lowest, fills, ink, labels } = shown2;
    const [width, height] = [canvas.width / ratio, canvas.height / ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.globalCompositeOperation = "source-over";
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, width, height);
    const start = left + shape.x(lowest + log2);
    pen.drawImage(mask, start, 0, shape.x(shape.low + mask.width) - shape.x(shape.low), height);
    pen.clearRect(0, 0, left, height);
    pen.globalCompositeOperation = "source-atop";
    for (const { kind, from, to } of zones(answers.format)) {
      pen.fillStyle = fills[kind];
      pen.fillRect(left + shape.x(from), 0, shape.x(to) - shape.x(from), height);
    }
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = ink;
    pen.globalAlpha = 0.5;
    for (const { from } of zones(answers.format).slice(1)) pen.fillRect(left + shape.x(from), 0, 1, height);
    pen.globalAlpha = 1;
    if (left) pen.drawImage(labels, 0, 0, labels.width / ratio, height);
    pen.strokeStyle = ink;
    if (group.contains(document.activeElement)) {
      pen.strokeRect(left + shape.x(shape.low + column) + 0.5, row2 * high + 0.5, shape.x(shape.low + 1) - shape.x(shape.low), high - 1);
    }
  }
  function point(toRow, toColumn) {
    if (!shown2) return;
    row2 = Math.min(Math.max(toRow, 0), shown2.order.length - 1);
    column = Math.min(Math.max(toColumn, 0), shown2.shape.bins - 1);
    isPointed = true;
    draw(log2);
  }
  function say({ answers, names, order, shape }) {
    const tensor = order[row2];
    const one2 = answers.summaries[tensor];
    const words2 = cellWords(binned(one2, answers.format, log2), column, shape, one2.finite);
    setText(cell, t("explorer.heat_cell", { name: names[tensor], words: words2 }));
  }
  return { element, layout, draw };
}
function painted({ summaries, total }, order) {
  const [lowest, highest] = [total.exponents[0] ?? 0, total.exponents.at(-1) ?? 0];
  const mask = h("canvas", { width: highest - lowest + 1, height: Math.max(1, order.length) });
  const pen = mask.getContext("2d");
  const image = pen?.createImageData(mask.width, mask.height);
  order.forEach((tensor, row2) => {
    const one2 = summaries[tensor];
    for (const exponent of one2.exponents) {
      const count = one2.below({ exponent, fraction: BINADE }) - one2.below({ exponent, fraction: 0 });
      const opacity = PALEST + (1 - PALEST) * Math.min(1, Math.sqrt(4 * count / one2.finite));
      if (image) image.data[4 * (row2 * mask.width + exponent - lowest) + 3] = 255 * opacity;
    }
  });
  if (image) pen.putImageData(image, 0, 0);
  return [lowest, mask];
}
function label(canvas, names, high, font, ink) {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  [pen.font, pen.fillStyle, pen.textBaseline] = [font, ink, "middle"];
  names.forEach((name, i) => pen.fillText(shortened(name), 0, (i + 0.5) * high, canvas.width * 0.97));
}
function shortened(name) {
  return name.length <= 24 ? name : `${name.slice(0, 11)}…${name.slice(-12)}`;
}

// mixwidgets/widgets/loss_scale_explorer/histogram.ts
var HEIGHT = 176;
var HEAD2 = 26;
var FOOT = 40;
var SIDE = 18;
var FLOOR = HEAD2 + HEIGHT;
function histogram(textures2) {
  const ground = s("g");
  const bars = CLASSES.map((kind) => s("path", { fill: textures2.fill(kind), class: `mw-bar mw-bar-${kind}` }));
  const axis = s("g", { class: "mw-ticks" });
  const element = s("svg", { role: "img", class: "mw-histogram" }, ground, ...bars, axis);
  let current;
  function layout(total, format, width) {
    const plot = Math.max(width - 2 * SIDE, 120);
    const shape = frame(format, plot, HEIGHT, tallest(total));
    current = { total, format, frame: shape };
    set(element, { viewBox: `${-SIDE} 0 ${plot + 2 * SIDE} ${FLOOR + FOOT}`, height: FLOOR + FOOT });
    ground.replaceChildren(...zones(format).flatMap((zone) => zoneMarks(zone.kind, shape.x(zone.from), shape.x(zone.to))));
    const ticks2 = shape.x.ticks(Math.min(8, Math.max(3, plot / 80))).filter(Number.isInteger);
    axis.replaceChildren(
      s("line", { x1: 0, x2: plot, y1: FLOOR, y2: FLOOR, class: "mw-floor" }),
      ...ticks2.map((tick) => tickMark(tick, shape.x(tick))),
      s("text", { x: 0, y: FLOOR + 36 }, t("explorer.gathered")),
      s("text", { x: plot, y: FLOOR + 36, "text-anchor": "end" }, t("explorer.axis"))
    );
  }
  function zoneMarks(kind, from, to) {
    const name = CLASSES[kind];
    const marks = [
      s("rect", { x: from, y: 0, width: to - from, height: FLOOR, class: `mw-zone mw-zone-${name}` })
    ];
    const words2 = [t(`explorer.zone_${name}`), t(`explorer.short_${name}`)];
    const text2 = words2.find((one2) => one2.length * 7 + 8 < to - from);
    if (text2) marks.push(s("text", { x: (from + to) / 2, y: 17, "text-anchor": "middle", class: "mw-zone-name" }, text2));
    return marks;
  }
  function tickMark(exponent, x) {
    const raised = s("tspan", { dy: -5 }, String(exponent).replace("-", "−"));
    return s(
      "g",
      {},
      s("line", { x1: x, x2: x, y1: FLOOR, y2: FLOOR + 4, class: "mw-floor" }),
      s("text", { x, y: FLOOR + 19, "text-anchor": "middle" }, "2", raised)
    );
  }
  function draw(log2LossScale) {
    if (!current) return;
    const table = binned(current.total, current.format, log2LossScale);
    barPaths(table, current.frame, FLOOR).forEach((path, kind) => set(bars[kind], { d: path }));
  }
  return { element, layout, draw, describe: (text2) => set(element, { "aria-label": text2 }) };
}

// mixwidgets/widgets/loss_scale_explorer/lens.ts
var DIGITS = 6;
function lens(plot, choose) {
  const ring = s("rect", { class: "mw-lens-ring", y: 26, height: FLOOR - 26, visibility: "hidden" });
  plot.element.append(ring);
  const surface = h("div", { class: "mw-lens-surface", role: "group", tabindex: 0, "aria-label": t("explorer.lens") }, plot.element);
  const said2 = h("p", { class: "mw-note mw-lens-said" }, t("explorer.lens_hint"));
  const title = h("p");
  const bits = h("p", { class: "mw-num mw-lens-bits", role: "img" });
  const value2 = h("p");
  const close = h("button", { type: "button" }, t("explorer.lens_close"));
  const panel = h("div", { class: "mw-callout mw-lens", hidden: true }, h("div", {}, title, bits, value2), close);
  const element = h("div", { class: "mw-stack-tight" }, surface, said2, panel);
  let answers;
  let names = [];
  let shape = { x: (binade) => binade, invert: (pixels) => pixels, low: 0, bins: 1 };
  let [column, log2] = [-1, 0];
  let chosen = null;
  surface.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== void 0) point((column < 0 ? shape.bins >> 1 : column) + step);
    else if (event.key === "Enter" || event.key === " ") pick();
    else return;
    event.preventDefault();
  });
  surface.addEventListener("focus", () => set(said2, { "aria-live": "polite" }));
  surface.addEventListener("blur", () => set(said2, { "aria-live": void 0 }));
  surface.addEventListener("pointermove", (event) => point(under(event)));
  surface.addEventListener("click", (event) => {
    point(under(event));
    pick();
  });
  close.addEventListener("click", () => {
    choose(null);
    surface.focus();
  });
  function under(event) {
    return Math.floor(shape.invert(pointIn(plot.element, event).x - SIDE)) - shape.low;
  }
  function layout(next, its, width) {
    [answers, names] = [next, its];
    const { x, low, bins } = frame(next.format, Math.max(width - 2 * SIDE, 120), 1, 1);
    shape = { x, invert: x.invert, low, bins };
    column = Math.min(column, bins - 1);
    draw(log2);
  }
  function point(to) {
    column = Math.min(Math.max(to, 0), shape.bins - 1);
    tell();
  }
  function tell() {
    if (!answers || column < 0) return;
    const { x, low } = shape;
    set(ring, { x: x(low + column), width: x(low + 1) - x(low), visibility: "visible" });
    setText(said2, cellWords(binned(answers.total, answers.format, log2), column, shape, answers.total.finite));
  }
  function pick() {
    if (answers && column >= 0) choose(shape.low + column - log2);
  }
  function show2(exponent) {
    chosen = exponent;
    panel.hidden = exponent === null;
    draw(log2);
  }
  function draw(next) {
    log2 = next;
    tell();
    if (!answers || chosen === null) return;
    const { format } = answers;
    const sample = answers.total.sample(chosen);
    const gradient = sample === void 0 ? power(2n, chosen) : rationalOf(sample);
    const scaled = multiply(gradient, power(2n, log2));
    const negative = gradient.numerator < 0n;
    const rounded = roundMagnitude(format, magnitudeOf(scaled));
    const overflows = rounded > format.maxCode;
    const code = overflows ? beyond(format, negative) : withSign(format, rounded, negative);
    setText(title, sample === void 0 ? t("explorer.lens_title", { gradient: power2(chosen), scaled: power2(chosen + log2), format: format.name }) : t("explorer.lens_gradient", { name: nameOf(sample, chosen), gradient: cut(gradient, DIGITS), scaled: cut(scaled, DIGITS), format: format.name }));
    const parts = fieldsInBits(format, code);
    setText(bits, parts.map(({ digits }) => digits).join(" "));
    set(bits, { "aria-label": listed(parts.map(({ name, digits }) => `${name} ${digits}`)) });
    setText(value2, outcome(format, code, overflows));
  }
  function nameOf(sample, exponent) {
    return names[answers.summaries.findIndex((one2) => one2.sample(exponent) === sample)];
  }
  return { element, layout, draw, show: show2 };
}
function rationalOf(value2) {
  return exact(getFormat("float64"), new BigUint64Array(Float64Array.of(value2).buffer)[0]);
}
function fieldsInBits(format, code) {
  const { biasedExponent, fraction } = fields(format, code);
  const padded = (of, width) => of.toString(2).padStart(width, "0");
  return [
    { name: t("explorer.lens_sign"), digits: isNegative(format, code) ? "1" : "0" },
    { name: t("explorer.lens_exponent"), digits: format.exponentBits ? padded(biasedExponent, format.exponentBits) : "" },
    { name: t("explorer.lens_fraction"), digits: format.fractionBits ? padded(fraction, format.fractionBits) : "" }
  ].filter(({ digits }) => digits !== "");
}
function outcome(format, code, overflows) {
  const args = { value: figure(format, code).text, code: format.toHex(code) };
  if (overflows) return t("explorer.lens_overflow", args);
  const kind = classify(format, code);
  if (kind !== "normal" && kind !== "subnormal") return t("explorer.lens_flushed", args);
  return t("explorer.lens_value", { ...args, kind: t(`explorer.zone_${kind}`), ulp: power2(floorLog2(ulp(format, code))) });
}

// mixwidgets/widgets/loss_scale_explorer/textures.ts
var LINES = {
  flushed: "M-1 1L1 -1M0 6L6 0M5 7L7 5",
  overflow: "M0 0L6 6M6 0L0 6"
};
function textures() {
  const ids = Object.fromEntries(CLASSES.map((kind) => [kind, uniqueId(kind)]));
  const patterns = CLASSES.map((kind) => s(
    "pattern",
    { id: ids[kind], width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    s("rect", { width: 6, height: 6, class: `mw-fill-${kind}` }),
    LINES[kind] ? s("path", { d: LINES[kind], class: "mw-hatch" }) : null
  ));
  const element = s("svg", { width: 0, height: 0, class: "mw-textures", "aria-hidden": "true" }, s("defs", {}, ...patterns));
  return { element, fill: (kind) => `url(#${ids[kind]})` };
}
function swatch(kind, from) {
  return s(
    "svg",
    { width: 12, height: 12, class: "mw-swatch", "aria-hidden": "true" },
    s("rect", { width: 12, height: 12, rx: 2, fill: from.fill(kind) })
  );
}

// mixwidgets/widgets/loss_scale_explorer/readout.ts
function figures(textures2) {
  const parts = CLASSES.map((kind) => {
    const number4 = h("div", { class: "mw-figure" });
    const count = h("div", { class: "mw-num mw-muted mw-figure-count" });
    const name = h("div", { class: "mw-figure-name" }, swatch(kind, textures2), t(`explorer.class_${kind}`));
    return { number: number4, count, box: h("div", {}, number4, name, count) };
  });
  const element = h("div", { class: "mw-figures" }, ...parts.map(({ box }) => box));
  function draw(counts) {
    const finite2 = counts.reduce((sum, one2) => sum + one2, 0);
    parts.forEach(({ number: number4, count }, kind) => {
      setText(number4, share(counts[kind], finite2));
      setText(count, integer(counts[kind]));
    });
  }
  function words2(counts, log2) {
    const finite2 = counts.reduce((sum, one2) => sum + one2, 0);
    const said2 = CLASSES.map((kind, i) => `${share(counts[i], finite2)} ${t(`explorer.class_${kind}`)}`);
    return `${spokenScale(log2)}: ${listed(said2)}`;
  }
  return { element, draw, words: words2 };
}
function notes() {
  const element = h("div", { class: "mw-note mw-stack-tight" });
  function show2({ total, format }, withoutGradient) {
    const { zero: zero3, inf, nan, count } = total;
    const lines = [
      t("explorer.zeros", { share: share(zero3, count), zero: integer(zero3), count: integer(count) }),
      t("explorer.after_the_fact", { format: format.name })
    ];
    if (inf + nan > 0) lines.push(t("explorer.not_finite", { inf: integer(inf), nan: integer(nan) }));
    if (withoutGradient.length > 0) lines.push(t("explorer.without", { names: listed(withoutGradient) }));
    element.replaceChildren(...lines.map((line) => h("p", {}, line)));
  }
  return { element, show: show2 };
}

// js/core/gradients/snapshots.ts
var HEAD3 = 24;
var text = new TextDecoder();
function readSnapshots(view) {
  const found = [];
  for (let at = 0; at < view.byteLength; ) {
    const length = view.getUint32(at, true);
    found.push(readSnapshot(new DataView(view.buffer, view.byteOffset + at + 4, length)));
    at += 4 + length;
  }
  return found;
}
function readSnapshot(view) {
  const start = HEAD3 + view.getUint32(20, true);
  const names = JSON.parse(text.decode(new Uint8Array(view.buffer, view.byteOffset + HEAD3, start - HEAD3)));
  return {
    step: view.getUint32(0, true),
    lossScale: view.getFloat64(4, true),
    loss: view.getFloat64(12, true),
    names,
    summaries() {
      const found = readSummaries(new DataView(view.buffer, view.byteOffset + start, view.byteLength - start));
      if (found.length !== names.length) throw new RangeError("names and gradients differ in number");
      return found;
    }
  };
}
var History = class {
  #kept = /* @__PURE__ */ new Map();
  /** Ascending. */
  get steps() {
    return [...this.#kept.keys()].sort((a, b) => a - b);
  }
  take(snapshots) {
    for (const snapshot of snapshots) this.#kept.set(snapshot.step, snapshot);
  }
  /** Let go of all others. */
  keep(steps) {
    const wanted = new Set(steps);
    for (const step of this.steps) if (!wanted.has(step)) this.#kept.delete(step);
  }
  /** The snapshot nearest to a step, the newest for 0; undefined where there is none. */
  at(step) {
    const { steps } = this;
    const nearest = step === 0 ? steps.at(-1) : steps.reduce((best, one2) => best === void 0 || Math.abs(one2 - step) < Math.abs(best - step) ? one2 : best, void 0);
    return nearest === void 0 ? void 0 : this.#kept.get(nearest);
  }
};

// mixwidgets/widgets/loss_scale_explorer/received.ts
function received(model, { replaced, changed, unreadable }) {
  const history = new History();
  function load() {
    try {
      const found = readSnapshots(model.get("_snapshots"));
      history.keep([]);
      history.take(found);
    } catch (fault) {
      unreadable(fault);
    }
  }
  function reload() {
    load();
    replaced();
  }
  function hear(message, buffers) {
    if (message.kind !== "snapshots") return;
    history.take(buffers.flatMap(readSnapshots));
    history.keep(message.steps ?? []);
    changed();
  }
  model.on("change:_snapshots", reload);
  model.on("msg:custom", hear);
  load();
  const newest = history.at(0)?.step ?? 0;
  if (newest !== model.get("_newest")) model.send({ kind: "snapshots", after: newest || -1 });
  return {
    history,
    close() {
      model.off("change:_snapshots", reload);
      model.off("msg:custom", hear);
    }
  };
}

// mixwidgets/widgets/loss_scale_explorer/valley.ts
var HEIGHT2 = 52;
var HEAD4 = 17;
var THUMB = 8;
var WORD = 30;
function valley(textures2, { move, release }) {
  const bars = CLASSES.map((kind) => s("path", { fill: textures2.fill(kind) }));
  const subnormal = s("path", { class: "mw-valley-subnormal" });
  const best = s("g", { class: "mw-valley-best" });
  const here = s("path", { class: "mw-valley-here", d: `M0 ${HEAD4 - 3}V${HEAD4 + HEIGHT2}` });
  const plot = s(
    "svg",
    { role: "img", class: "mw-valley-plot", height: HEAD4 + HEIGHT2 },
    ...bars,
    subnormal,
    best,
    here
  );
  const words2 = h("span");
  const key = h(
    "span",
    { class: "mw-row mw-valley-key", "aria-hidden": "true" },
    swatch("flushed", textures2),
    t("explorer.short_flushed"),
    s("svg", { width: 20, height: 12 }, s("path", { d: "M0 6H20", class: "mw-valley-subnormal" })),
    t("explorer.zone_subnormal"),
    swatch("overflow", textures2),
    t("explorer.zone_overflow")
  );
  const caption = h("p", { class: "mw-note mw-valley-caption" }, words2, key);
  const element = h("div", { class: "mw-valley" }, caption, plot);
  const x = linear2([LOWEST, HIGHEST], [THUMB, 600]);
  function layout(answers, width) {
    x.range([THUMB, Math.max(width, 120) - THUMB]);
    set(plot, { viewBox: `0 0 ${Math.max(width, 120)} ${HEAD4 + HEIGHT2}` });
    const scales = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => LOWEST + i);
    const all = Math.max(1, answers.total.finite);
    const y = linear2([0, all], [0, HEIGHT2]);
    const table = Float64Array.from(scales.flatMap((log2) => {
      const [flushed, , , overflow] = answers.totals(log2);
      return [flushed, 0, 0, overflow];
    }));
    const shape = { x, y, low: LOWEST - 0.5, bins: scales.length };
    barPaths(table, shape, HEAD4 + HEIGHT2).forEach((d, kind) => set(bars[kind], { d }));
    const points = scales.map((log2) => `${x(log2).toFixed(1)} ${(HEAD4 + HEIGHT2 - y(answers.totals(log2)[1])).toFixed(1)}`);
    set(subnormal, { d: `M${points.join("L")}` });
    const place2 = x(answers.best.log2);
    const inside = Math.min(Math.max(place2, WORD), Math.max(width, 120) - WORD);
    best.replaceChildren(
      s("path", { d: `M${place2.toFixed(1)} ${HEAD4}V${HEAD4 + HEIGHT2}` }),
      s("text", { x: inside, y: 12, "text-anchor": "middle" }, t("explorer.valley_best"))
    );
    setText(words2, inWords(answers));
    set(plot, { "aria-label": t("explorer.valley", { words: inWords(answers), best: answers.best.log2 }) });
  }
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    plot.setPointerCapture(event.pointerId);
    move(under(event));
  });
  plot.addEventListener("pointermove", (event) => {
    if (plot.hasPointerCapture(event.pointerId)) move(under(event));
  });
  plot.addEventListener("lostpointercapture", release);
  function under(event) {
    const log2 = Math.round(x.invert(pointIn(plot, event).x));
    return Math.min(Math.max(log2, LOWEST), HIGHEST);
  }
  return {
    element,
    layout,
    mark: (log2) => set(here, { transform: `translate(${x(log2).toFixed(1)} 0)` }),
    width: () => plot.clientWidth
  };
}
function inWords(answers) {
  const all = answers.total.finite;
  if (all === 0) return t("explorer.row_empty");
  const lost = [];
  for (let log2 = LOWEST; log2 <= HIGHEST; log2++) {
    const [flushed, , , overflow] = answers.totals(log2);
    lost.push(flushed + overflow);
  }
  const least = Math.min(...lost);
  const [first, last] = [lost.indexOf(least) + LOWEST, lost.lastIndexOf(least) + LOWEST];
  const args = { from: power2(first), to: power2(last), share: share(least, all) };
  if (least > 0) return t(first === last ? "explorer.valley_least_at" : "explorer.valley_least", args);
  return t(first === last ? "explorer.valley_nothing_at" : "explorer.valley_nothing", args);
}

// mixwidgets/widgets/loss_scale_explorer/scale_control.ts
var IN_HAND_MS = 400;
function scaleControl(textures2, { draw, commit }) {
  const power3 = h("sup");
  const number4 = h("span");
  const formula = h("p", { class: "mw-num mw-scale" }, "S = 2", power3, " = ", number4);
  const bestPower = h("sup");
  const use = h("button", { type: "button" }, t("explorer.use_it"));
  const reason = h("p", { class: "mw-note" });
  const best = h("div", { class: "mw-row mw-best" }, h("span", {}, t("explorer.best"), " 2", bestPower), use);
  const readout = h("div", { class: "mw-explorer-scale" }, formula, best, reason);
  const errorId = uniqueId("error");
  const slider = h("input", { type: "range", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("explorer.slider") });
  const field = h("input", {
    type: "number",
    min: LOWEST,
    max: HIGHEST,
    step: 1,
    "aria-label": t("explorer.field"),
    "aria-describedby": errorId
  });
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const curve = valley(textures2, {
    move(log2) {
      slider.focus({ preventScroll: true });
      if (log2 === current) return;
      slider.valueAsNumber = field.valueAsNumber = log2;
      move(log2);
    },
    release: () => commit(current)
  });
  const end = (log2) => h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }, "2", h("sup", {}, String(log2).replace("-", "−")));
  const element = h(
    "div",
    { class: "mw-stack-tight" },
    h(
      "div",
      { class: "mw-scale-row" },
      end(LOWEST),
      h("div", { class: "mw-scale-track" }, curve.element, slider),
      end(HIGHEST),
      h("span", { class: "mw-scale-field" }, h("span", { class: "mw-muted mw-num", "aria-hidden": "true" }, "S = 2^"), field)
    ),
    error
  );
  let current = 0;
  let width = 0;
  let proposal = 0;
  let moved = -Infinity;
  function paint(log2) {
    current = log2;
    setText(power3, String(log2).replace("-", "−"));
    setText(number4, powerOfTwo(log2));
    curve.mark(log2);
    set(slider, { "aria-valuetext": spokenScale(log2) });
    use.disabled = log2 === proposal;
    setText(use, t(log2 === proposal ? "explorer.in_use" : "explorer.use_it"));
  }
  function move(log2) {
    moved = performance.now();
    complain("");
    paint(log2);
    draw(log2);
  }
  function complain(text2) {
    setText(error, text2);
    set(field, { "aria-invalid": text2 ? "true" : void 0 });
  }
  function typed() {
    const log2 = field.valueAsNumber;
    return Number.isInteger(log2) && log2 >= LOWEST && log2 <= HIGHEST ? log2 : void 0;
  }
  slider.addEventListener("input", () => {
    field.value = slider.value;
    move(slider.valueAsNumber);
  });
  slider.addEventListener("change", () => commit(slider.valueAsNumber));
  field.addEventListener("input", () => {
    const log2 = typed();
    if (log2 === void 0) return;
    slider.valueAsNumber = log2;
    move(log2);
  });
  field.addEventListener("change", () => {
    const log2 = typed();
    if (log2 !== void 0) commit(log2);
    else complain(t("explorer.bad_exponent", { came: field.value || t("explorer.nothing"), low: LOWEST, high: HIGHEST, kept: current }));
  });
  use.addEventListener("click", () => {
    show2(proposal);
    draw(proposal);
    commit(proposal);
    slider.focus();
  });
  function show2(log2) {
    complain("");
    slider.valueAsNumber = log2;
    field.valueAsNumber = log2;
    paint(log2);
  }
  function propose(answers) {
    const { log2, headroom } = answers.best;
    const [flushed, subnormal, normal, overflow] = answers.totals(log2);
    const finite2 = flushed + subnormal + normal + overflow;
    proposal = log2;
    setText(bestPower, String(log2).replace("-", "−"));
    setText(reason, headroom < HEADROOM ? t("explorer.reason_tight", { share: share(flushed, finite2), headroom }) : t("explorer.reason", { share: share(flushed, finite2), headroom: Number.isFinite(headroom) ? headroom : "∞" }));
    paint(current);
  }
  function layout(answers) {
    curve.layout(answers, width);
    curve.mark(current);
  }
  const measure = () => {
    width = curve.width();
  };
  return { element, readout, measure, value: () => current, inHand: () => moved + IN_HAND_MS - performance.now(), show: show2, propose, layout };
}

// mixwidgets/widgets/loss_scale_explorer/state.ts
var MAX_BITS = 32;
var choices = formats.filter(({ bits, signed }) => signed && bits <= MAX_BITS).sort((a, b) => a.bits - b.bits);
function accept(wanted) {
  const { format, log2_loss_scale: log2, step } = wanted;
  const fits = log2 >= LOWEST && log2 <= HIGHEST && step >= 0 && step < 2 ** 32;
  return fits && choices.some(({ name }) => name === format) ? wanted : null;
}

// mixwidgets/widgets/loss_scale_explorer/tensor_rows.ts
var FEW2 = 12;
function tensorRows(textures2) {
  const id = uniqueId("tensors");
  const list = h("ol", { class: "mw-tensors", "aria-labelledby": id });
  const more = h("button", { type: "button", "aria-expanded": "false" });
  const element = h("div", { class: "mw-stack-tight" }, h("h4", { id }, t("explorer.by_tensor")), list, more);
  let rows = [];
  let order = [];
  let all = false;
  let again = () => {
  };
  more.addEventListener("click", () => {
    all = !all;
    again();
  });
  function replace(names) {
    rows = names.map((name) => row(name, textures2));
    order = [...rows.keys()];
  }
  function shown2() {
    return all ? order : order.slice(0, FEW2);
  }
  function arrange(answers, log2) {
    const lost = rows.map((_, tensor) => {
      const [flushed, subnormal, normal, overflow] = answers.counts(tensor, log2);
      const finite2 = flushed + subnormal + normal + overflow;
      return finite2 === 0 ? -1 : (flushed + overflow) / finite2;
    });
    order = [...rows.keys()].sort((a, b) => lost[b] - lost[a] || a - b);
    again = () => arrange(answers, log2);
    list.replaceChildren(...shown2().map((tensor) => rows[tensor].item));
    more.hidden = rows.length <= FEW2;
    set(more, { "aria-expanded": String(all) });
    setText(more, all ? t("explorer.show_few", { count: FEW2 }) : t("explorer.show_all", { count: rows.length }));
    set(list, { tabindex: all && rows.length > FEW2 ? 0 : void 0, class: all ? "mw-tensors mw-tensors-all" : "mw-tensors" });
    draw(answers, log2);
  }
  function draw(answers, log2) {
    again = () => arrange(answers, log2);
    for (const tensor of shown2()) rows[tensor].draw(answers.counts(tensor, log2));
  }
  return { element, replace, arrange, draw, order: () => order };
}
function row(name, textures2) {
  const parts = CLASSES.map((kind) => s("rect", { y: 0, height: 20, width: 0, fill: textures2.fill(kind) }));
  const bar = s("svg", { class: "mw-tensor-bar", height: 20, "aria-hidden": "true" }, ...parts);
  const text2 = h("span", { class: "mw-num mw-tensor-text" });
  const item = h("li", {}, h("span", { class: "mw-tensor-name", title: name }, name), bar, text2);
  function draw(counts) {
    const finite2 = counts[0] + counts[1] + counts[2] + counts[3];
    let left = 0;
    parts.forEach((part, kind) => {
      const width = finite2 ? 100 * counts[kind] / finite2 : 0;
      set(part, { x: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` });
      left += width;
    });
    setText(text2, words(counts, finite2));
  }
  return { item, draw };
}
function words(counts, finite2) {
  if (finite2 === 0) return t("explorer.row_empty");
  const flushed = t("explorer.row_flushed", { share: share(counts[0], finite2) });
  return counts[3] > 0 ? t("explorer.row_overflow", { flushed, share: share(counts[3], finite2) }) : flushed;
}

// mixwidgets/widgets/loss_scale_explorer/timeline.ts
var HEIGHT3 = 44;
var PAD = 5;
var THUMB2 = 8;
function timeline({ look, commit }) {
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("explorer.step") });
  const line = s("path", { class: "mw-loss-line" });
  const mark = s("path", { class: "mw-valley-here", d: `M0 0V${HEIGHT3}` });
  const plot = s("svg", { role: "img", class: "mw-loss-plot", height: HEIGHT3 }, line, mark);
  const said2 = h("span", { class: "mw-step-text" });
  const thinned = h("span", { class: "mw-note" });
  const [first, last] = [h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }), h("span", { class: "mw-num mw-muted", "aria-hidden": "true" })];
  const element = h(
    "div",
    { class: "mw-stack-tight", hidden: true },
    h("p", { class: "mw-valley-caption" }, said2, thinned),
    h("div", { class: "mw-scale-row mw-step-row" }, first, h("div", { class: "mw-scale-track" }, plot, slider), last)
  );
  let steps = [];
  let losses = [];
  const places = linear2([0, 1], [THUMB2, 120 - THUMB2]);
  let shown2;
  let held = false;
  const stepAt = (index) => index === steps.length - 1 ? 0 : steps[index];
  slider.addEventListener("input", () => {
    held = true;
    look(stepAt(slider.valueAsNumber));
  });
  slider.addEventListener("change", () => {
    held = false;
    commit(stepAt(slider.valueAsNumber));
  });
  function replace(history, loss, seen) {
    ({ steps } = history);
    element.hidden = steps.length < 2;
    const [from, to] = [steps[0] ?? 0, steps.at(-1) ?? 0];
    losses = Array.from({ length: loss.byteLength / 8 }, (_, i) => ({ step: loss.getFloat32(8 * i, true), loss: loss.getFloat32(8 * i + 4, true) })).filter(({ step }) => step >= from && step <= to);
    set(slider, { max: Math.max(steps.length - 1, 1) });
    setText(first, integer(from));
    setText(last, integer(to));
    const args = { kept: integer(steps.length), seen: integer(seen) };
    setText(thinned, t(seen > steps.length ? "explorer.thinned" : "explorer.snapshots", args));
    plot.toggleAttribute("hidden", losses.length < 2);
    if (shown2) show2(shown2);
    layout();
  }
  function layout() {
    if (steps.length < 2) return;
    const width = Math.max(slider.clientWidth, 120);
    places.domain([0, steps.length - 1]).range([THUMB2, width - THUMB2]);
    const x = linear2(steps, steps.map((_, i) => places(i)));
    const finite2 = losses.map(({ loss }) => loss).filter(Number.isFinite);
    const y = linear2([Math.min(...finite2), Math.max(...finite2)], [HEIGHT3 - PAD, PAD]);
    let pen = "M";
    const path = losses.map(({ step, loss }) => {
      if (!Number.isFinite(loss)) return pen = "M", "";
      const place2 = `${pen}${x(step).toFixed(1)} ${y(loss).toFixed(1)}`;
      pen = "L";
      return place2;
    });
    set(plot, { viewBox: `0 0 ${width} ${HEIGHT3}` });
    set(line, { d: path.join("") });
    point();
    const [start, end] = [losses[0], losses.at(-1)];
    if (start && end) set(plot, { "aria-label": t("explorer.loss_plot", { from: number(start.loss), first: start.step, to: number(end.loss), last: end.step }) });
  }
  function point() {
    if (shown2) set(mark, { transform: `translate(${places(steps.indexOf(shown2.step)).toFixed(1)} 0)` });
  }
  function show2(snapshot) {
    shown2 = snapshot;
    const index = steps.indexOf(snapshot.step);
    if (!held) slider.valueAsNumber = index;
    const parts = [t(index === steps.length - 1 ? "explorer.step_newest" : "explorer.step_is", { step: integer(snapshot.step) })];
    if (losses.length > 0) parts.push(t("explorer.step_loss", { loss: number(snapshot.loss) }));
    if (snapshot.lossScale > 0) parts.push(t("explorer.step_scale", { scale: powerOfAny(snapshot.lossScale) }));
    setText(said2, parts.join(" · "));
    set(slider, { "aria-valuetext": listed(parts) });
    point();
  }
  return { element, replace, layout, show: show2, isHeld: () => held };
}

// mixwidgets/widgets/loss_scale_explorer/page.ts
var USUAL = ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"];
function render({ model, el }) {
  const { root, head } = card(el, "");
  const heading = head.querySelector("h3");
  const subtitle = h("span", { class: "mw-subtitle" });
  const names = choices.map(({ name }) => name);
  const others = names.filter((name) => !USUAL.includes(name));
  const picker = chipsAndMore(t("common.formats"), USUAL, others, (name) => send("format", name));
  head.append(subtitle, picker.element);
  const fills = textures();
  const shares = figures(fills);
  const control = scaleControl(fills, { draw, commit: (log2) => send("log2_loss_scale", log2) });
  const plot = histogram(fills);
  const look = lens(plot, (exponent) => send("binade", exponent));
  const time = timeline({ look: open, commit: lookAt });
  const rows = tensorRows(fills);
  const map = heatMap(fills);
  const beside = comparison(choices, (compared) => send("compare", compared));
  const truths = notes();
  const error = h("p", { class: "mw-error", role: "alert" });
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const top = h("div", { class: "mw-explorer-top" }, shares.element, control.readout);
  const body = h(
    "div",
    { class: "mw-stack", hidden: true },
    top,
    look.element,
    control.element,
    time.element,
    rows.element,
    map.element,
    beside.element,
    truths.element
  );
  const waitingFor = h("p", { class: "mw-muted" }, t("explorer.waiting"));
  root.append(error, waitingFor, body, spoken, fills.element);
  let shown2;
  let summaries = [];
  let answers;
  let width = 0;
  let waiting;
  function send(name, value2) {
    if (model.get(name) === value2) return;
    model.set(name, value2);
    model.save_changes();
  }
  const { history, close } = received(model, {
    replaced() {
      retime();
      open(model.get("step"));
      settle();
    },
    changed() {
      retime();
      if (!time.isHeld()) lookAt();
    },
    unreadable
  });
  function retime() {
    time.replace(history, model.get("_loss"), model.get("_seen"));
  }
  function unreadable(fault) {
    setText(error, t("explorer.unreadable", { reason: String(fault.message) }));
  }
  function lookAt(step = model.get("step")) {
    if (step !== model.get("step")) return send("step", step);
    open(step);
    arrange();
  }
  function open(step) {
    const wanted = history.at(step);
    if (!wanted) return;
    if (wanted !== shown2) {
      try {
        summaries = wanted.summaries();
      } catch (fault) {
        unreadable(fault);
        return;
      }
      const isRenamed = shown2?.names.join("\n") !== wanted.names.join("\n");
      if (isRenamed) rows.replace(wanted.names);
      shown2 = wanted;
      body.hidden = false;
      waitingFor.hidden = true;
      answer();
      if (isRenamed && answers) rows.arrange(answers, control.value());
    }
    time.show(wanted);
  }
  function answer() {
    if (!shown2) return;
    const format = getFormat(model.get("format"));
    if (!format || !choices.includes(format)) {
      setText(error, t("explorer.unknown_format", { came: model.get("format"), accepted: listed(names) }));
      return;
    }
    setText(error, "");
    answers = new Answers(summaries, format);
    picker.show(format.name);
    const count = { values: integer(answers.total.count), tensors: summaries.length, format: format.name };
    setText(subtitle, t(summaries.length === 1 ? "explorer.subtitle_one" : "explorer.subtitle", count));
    control.propose(answers);
    compareAnew();
    truths.show(answers, model.get("_without_gradient"));
    if (width === 0) resize();
    else layout();
    draw(control.value());
  }
  function compareAnew() {
    if (!answers) return;
    beside.replace(answers, model.get("compare").map(getFormat).filter((format) => format !== void 0));
    beside.draw(control.value());
  }
  function choose() {
    answer();
    settle();
  }
  function draw(log2) {
    if (!answers) return;
    shares.draw(answers.totals(log2));
    plot.draw(log2);
    look.draw(log2);
    rows.draw(answers, log2);
    map.draw(log2);
    beside.draw(log2);
  }
  function follow() {
    clearTimeout(waiting);
    if (model.get("log2_loss_scale") === control.value() || control.inHand() <= 0) settle();
    else waiting = setTimeout(follow, control.inHand());
  }
  function settle() {
    const log2 = model.get("log2_loss_scale");
    control.show(log2);
    draw(log2);
    arrange();
  }
  function arrange() {
    if (!answers) return;
    const log2 = control.value();
    rows.arrange(answers, log2);
    layoutMap();
    const words2 = shares.words(answers.totals(log2), log2);
    plot.describe(words2);
    setText(spoken, words2);
  }
  function resize() {
    width = plot.element.clientWidth;
    control.measure();
    time.layout();
    layout();
  }
  function layout() {
    if (!answers || !shown2) return;
    plot.layout(answers.total, answers.format, width);
    plot.draw(control.value());
    look.layout(answers, shown2.names, width);
    control.layout(answers);
    layoutMap();
  }
  function layoutMap() {
    if (!answers || !shown2) return;
    map.layout(answers, shown2.names, rows.order(), width);
    map.draw(control.value());
  }
  function retitle() {
    setText(heading, model.get("title") ?? t("explorer.title"));
  }
  const subscriptions = {
    "change:format": choose,
    "change:compare": compareAnew,
    "change:log2_loss_scale": follow,
    "change:step": () => time.isHeld() || lookAt(),
    "change:binade": () => look.show(model.get("binade")),
    "change:_loss": retime,
    "change:title": retitle
  };
  for (const [name, handler] of Object.entries(subscriptions)) model.on(name, handler);
  const observer = new ResizeObserver(resize);
  for (const { element } of [control, time]) observer.observe(element);
  observePixels(observer, plot.element);
  retitle();
  retime();
  open(model.get("step"));
  settle();
  look.show(model.get("binade"));
  return () => {
    for (const [name, handler] of Object.entries(subscriptions)) model.off(name, handler);
    close();
    observer.disconnect();
    clearTimeout(waiting);
    root.remove();
  };
}
var page_default = { render, accept };
export {
  page_default as default
};
