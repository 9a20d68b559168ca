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
function toNumber(x) {
  return Number((x.numerator << 60n) / x.denominator) / 2 ** 60;
}

// js/core/formats/parse.ts
var MAX_TEXT = 1e4;
var MAX_EXPONENT = 5e3;
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
function toExact(text) {
  const body = text.replace(BLANKS, "");
  const length = [...body].length;
  if (length > MAX_TEXT) throw new InputError("parse.too_long", { limit: grouped(MAX_TEXT), length: grouped(length) });
  if (BIT_PATTERN.test(body)) return { kind: "pattern", code: BigInt(body.toLowerCase()) };
  const special2 = SPECIAL.exec(body)?.groups;
  if (special2) {
    const kind = special2.word?.toLowerCase() === "nan" ? "nan" : "infinity";
    return { kind, negative: isMinus(special2.sign), magnitude: rational(0n) };
  }
  const decimal = DECIMAL.exec(body)?.groups;
  if (decimal) return assemble(decimal, "", 10n, 10n, body);
  const hex = HEX_FLOAT.exec(body)?.groups;
  if (hex) return assemble(hex, "0x", 16n, 2n, body);
  throw likelyFix(text, body);
}
function toCode(text, bits, name) {
  const body = text.replace(BLANKS, "");
  const prefixed = BIT_PATTERN.test(body) || /^0b./i.test(body) ? body : "0x" + body;
  if (!BIT_PATTERN.test(prefixed)) {
    throw new InputError("code.form", { text: shown(text), zeros: "0".repeat(Math.ceil(bits / 4)) });
  }
  return checkWidth(BigInt(prefixed.toLowerCase()), bits, name);
}
function checkWidth(code, bits, name) {
  if (code >> BigInt(bits) !== 0n) {
    const last = "0x" + ((1n << BigInt(bits)) - 1n).toString(16).toUpperCase();
    const text = shown("0x" + code.toString(16));
    throw new InputError("code.range", { text, format: name, bits: String(bits), last });
  }
  return code;
}
function assemble(groups, prefix, base, exponentBase, body) {
  const part = (groups.part ?? "") + (groups.only ?? "");
  const written = groups.exp ?? "0";
  const exponent = written.length < 20 ? Number(written.replace("−", "-")) : MAX_EXPONENT + 1;
  if (Math.abs(exponent) > MAX_EXPONENT) {
    throw new InputError("parse.exponent", { text: shown(body), limit: String(MAX_EXPONENT) });
  }
  const digits = rational(BigInt(prefix + (groups.whole ?? "") + part), base ** BigInt(part.length));
  return {
    kind: "finite",
    negative: isMinus(groups.sign),
    magnitude: multiply(digits, power(exponentBase, exponent))
  };
}
function isMinus(sign) {
  return sign === "-" || sign === "−";
}
function grouped(n) {
  return n.toLocaleString("en-US");
}
function shown(text) {
  const characters = [...text];
  const short = characters.length <= 40 ? characters : [...characters.slice(0, 39), "…"];
  const spelled = short.map(
    (c) => c !== " " && /[\p{C}\p{Z}]/u.test(c) ? "\\u" + c.codePointAt(0)?.toString(16).padStart(4, "0") : c
  );
  return `'${spelled.join("")}'`;
}
function isNumber(text) {
  return DECIMAL.test(text) || HEX_FLOAT.test(text) || BIT_PATTERN.test(text);
}
function likelyFix(text, body) {
  const plain = body.normalize("NFKC");
  const candidates = [
    [plain, "parse.digits"],
    [plain.replaceAll(",", "."), "parse.point"],
    [plain.replace(/[_ ]|,(?=[0-9]{3})/g, ""), "parse.separators"]
  ];
  for (const [candidate, key] of candidates) {
    if (candidate !== body && isNumber(candidate)) {
      return new InputError(key, { text: shown(text), candidate: candidate.slice(0, 40) });
    }
  }
  return new InputError(advice(body), { text: shown(text) });
}
function advice(body) {
  if (/^nan/i.test(body)) return "parse.payload";
  if (/^(?:[-+−]0x|[-+]0b)/.test(body)) return "parse.signed_pattern";
  if (/^0b/i.test(body)) return "parse.binary";
  if (HEX_FLOAT.test(body + "p0")) return "parse.hex_exponent";
  return "parse.form";
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
    const { name, exponentBits, fractionBits, bias, signed: signed2, infinity, nan, hasZero } = definition;
    this.name = name;
    this.exponentBits = exponentBits;
    this.fractionBits = fractionBits;
    this.bias = bias;
    this.signed = signed2;
    this.infinity = infinity;
    this.nan = nan;
    this.hasZero = hasZero;
    this.experimental = definition.experimental ?? false;
    this.aliases = definition.aliases ?? [];
    this.citation = definition.citation ?? "";
    this.bits = Number(signed2) + exponentBits + fractionBits;
    this.precision = fractionBits + 1;
    this.emin = hasZero ? 1 - bias : -bias;
    this.signBit = signed2 ? 1n << BigInt(this.bits - 1) : 0n;
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
    this.hasNegativeZero = signed2 && hasZero && nan !== "negative_zero";
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
  toCode(text) {
    return toCode(text, this.bits, this.name);
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
function p3109(bits, precision, signed2, extended) {
  check("K", bits, LEAST_BITS, MOST_BITS);
  check("P", precision, 1, signed2 ? bits - 1 : bits);
  const name = `binary${bits}p${precision}${signed2 ? "s" : "u"}${extended ? "e" : "f"}`;
  const found = known.get(name);
  if (found) return found;
  const exponentBits = signed2 ? bits - precision : bits - precision + 1;
  const fmt = new FloatFormat({
    name,
    exponentBits,
    fractionBits: precision - 1,
    bias: 2 ** (exponentBits - 1),
    signed: signed2,
    infinity: extended ? "top" : "none",
    nan: signed2 ? "negative_zero" : "top",
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
  (row) => new FloatFormat({
    name: row.name,
    exponentBits: row.exponent_bits,
    fractionBits: row.fraction_bits,
    bias: row.bias,
    signed: row.signed,
    infinity: row.infinity,
    nan: row.nan,
    hasZero: row.has_zero,
    aliases: row.aliases,
    citation: row.citation
  })
);
var byName = new Map(formats.map((fmt) => [fmt.name, fmt]));
function getFormat(name) {
  return typeof name === "string" ? byName.get(name) ?? p3109Named(name) : void 0;
}

// js/core/formats/encode.ts
var ROUNDINGS = [
  "ties-to-even",
  "ties-to-away",
  "toward-zero",
  "toward-positive",
  "toward-negative",
  "to-odd"
];
var OVERFLOWS = ["native", "saturate", "torch", "ml_dtypes"];
function encode(fmt, value, options = {}) {
  const { rounding = "ties-to-even", overflow = "native" } = options;
  const given = typeof value === "string" ? toExact(value) : value;
  if (given.kind === "pattern") return checkWidth(given.code, fmt.bits, fmt.name);
  if (given.kind === "nan") return nanCode(fmt, "format.no_nan");
  const { negative, magnitude } = given;
  const saturates = overflow === "saturate" || overflow === "torch" && fmt.name === "float8_e4m3fn";
  const isZero = given.kind === "finite" && magnitude.numerator === 0n;
  if (negative && !fmt.signed && !isZero) return saturates ? 0n : nanCode(fmt, "format.no_sign");
  if (isZero && !fmt.hasZero) return saturates ? 0n : nanCode(fmt, "format.no_zero");
  const code = given.kind === "infinity" ? null : roundMagnitude(fmt, magnitude, rounding, negative);
  if (code !== null && code <= fmt.maxCode) return withSign(fmt, code, negative);
  const stops = saturates || code !== null && pointsInward(rounding, negative);
  return stops ? withSign(fmt, fmt.maxCode, negative) : beyond(fmt, negative);
}
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
function pointsInward(rounding, negative) {
  return rounding === "toward-zero" || rounding === "to-odd" || rounding === (negative ? "toward-positive" : "toward-negative");
}
function nanCode(fmt, key) {
  if (fmt.nanCode === null) throw new InputError(key, { format: fmt.name });
  return fmt.nanCode;
}

// js/core/formats/decode.ts
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
function isFinite(fmt, code) {
  return !["nan", "infinity"].includes(classify(fmt, code));
}
function exact(fmt, code) {
  if (!isFinite(fmt, code)) throw new RangeError(`${fmt.toHex(code)} has no rational value in ${fmt.name}`);
  const magnitude = fmt.magnitude(code & fmt.allOnes);
  return isNegative(fmt, code) ? negate(magnitude) : magnitude;
}
function nextUp(fmt, code) {
  return step(fmt, code, true);
}
function nextDown(fmt, code) {
  return step(fmt, code, false);
}
function step(fmt, code, up) {
  if (classify(fmt, code) === "nan") return code;
  const magnitude = code & fmt.allOnes;
  const isZero = fmt.hasZero && magnitude === 0n;
  if (isZero && !up) return fmt.signed ? fmt.signBit | 1n : code;
  if (isZero) return 1n;
  if (isNegative(fmt, code) !== up) return magnitude < (fmt.infCode ?? fmt.maxCode) ? code + 1n : code;
  if (magnitude === 0n) return code ^ fmt.signBit;
  return classify(fmt, code - 1n) === "nan" ? 0n : code - 1n;
}
function toDecimal(fmt, code) {
  const sign = isNegative(fmt, code) ? "-" : "";
  if (classify(fmt, code) === "nan") return "nan";
  if (classify(fmt, code) === "infinity") return sign + "inf";
  return sign + rationalToDecimal(magnitudeOf(exact(fmt, code)));
}
function rationalToDecimal(value) {
  const places2 = value.denominator.toString(2).length - 1;
  const digits = String(value.numerator * 5n ** BigInt(places2)).padStart(places2 + 1, "0");
  const part = digits.slice(digits.length - places2).replace(/0+$/, "");
  return digits.slice(0, digits.length - places2) + (places2 > 0 && part ? "." + part : "");
}
function shortest(fmt, code) {
  const kind = classify(fmt, code);
  if (kind !== "normal" && kind !== "subnormal") return toDecimal(fmt, code);
  const sign = isNegative(fmt, code) ? "-" : "";
  const magnitude = code & fmt.allOnes;
  const value = fmt.magnitude(magnitude);
  const exponent = floorLog10(value);
  for (let count = 1; ; count += 1) {
    const unit = power(10n, exponent - count + 1);
    for (const digits of nearestFirst(value, unit)) {
      const decimal = multiply(rational(digits), unit);
      if (digits && roundMagnitude(fmt, decimal) === magnitude) return sign + notation(digits, exponent - count + 1);
    }
  }
}
function nearestFirst(value, unit) {
  const below = value.numerator * unit.denominator / (value.denominator * unit.numerator);
  const distance = (n) => magnitudeOf(subtract(value, multiply(rational(n), unit)));
  const order = compare(distance(below), distance(below + 1n)) || Number(below & 1n);
  return order <= 0 ? [below, below + 1n] : [below + 1n, below];
}
function notation(digits, exponent) {
  const all = String(digits);
  const text = all.replace(/0+$/, "");
  const point = all.length + exponent;
  if (point > 0 && point <= 21) {
    return text.length <= point ? text.padEnd(point, "0") : `${text.slice(0, point)}.${text.slice(point)}`;
  }
  if (point > -6 && point <= 0) return "0." + "0".repeat(-point) + text;
  const power2 = point - 1;
  return text.slice(0, 1) + (text.length > 1 ? "." + text.slice(1) : "") + `e${power2 < 0 ? "-" : "+"}${Math.abs(power2)}`;
}

// js/messages/en.json
var en_default = /* messages */ {"bits.title":"Bit editor","bits.grid":"Bits, sign to fraction","bits.sign":"sign","bits.exponent":"exponent","bits.fraction":"fraction","bits.on":"on","bits.off":"off","bits.sign_bit":"sign bit, {state}","bits.exponent_bit":"exponent bit {number} of {width}, weight {weight}, {state}","bits.fraction_bit":"fraction bit {number} of {width}, weight {weight}, {state}","bits.exponent_number":"biased exponent","bits.fraction_number":"fraction as an integer","bits.field_range":"{came} does not fit: this field holds whole numbers from 0 to {last}","bits.all_ones":"all ones","bits.reserved":"reserved","bits.readouts":"Notations, neighbours and gaps","bits.integer_form":"m × 2^e","bits.binary_code":"binary code","bits.value_below":"value below","bits.value_above":"value above","bits.with_gap":"{value}, {gap} away","bits.error":"error","bits.no_input":"none: nothing was rounded","bits.no_error":"exact","bits.both_errors":"{error}, relative {relative}","bits.everywhere":"The same value in every format","bits.column_format":"format","bits.column_code":"code","bits.column_value":"value","bits.column_error":"error","bits.column_relative":"relative error","bits.elements":"Elements of the tensor","bits.element":"element","bits.elements_all":"of {count} in {format}","bits.elements_first":"of the first {count} in {format}; the tensor has {total}","bits.previous_element":"previous element","bits.next_element":"next element","bits.find":"next","bits.find_next":"next {kind}","bits.find_subnormal":"subnormal","bits.find_infinity":"infinity","bits.find_nan":"NaN","bits.none_of_class":"no {kind} here","bits.rounding":"rounding","bits.overflow_policy":"overflow","bits.formula_ones":"exponent all ones","bits.formula_and":"and fraction","bits.class_zero":"zero","bits.class_subnormal":"subnormal","bits.class_normal":"normal","bits.class_infinity":"infinity","bits.class_nan":"NaN, not a number","bits.quiet":"quiet","bits.signaling":"signaling","bits.largest":"largest finite {format}","bits.lowest":"lowest finite {format}","bits.smallest_normal":"smallest normal {format}","bits.largest_subnormal":"largest subnormal {format}","bits.smallest_subnormal":"smallest subnormal {format}","bits.negative_zero":"negative zero","bits.ulp":"ulp {ulp}","bits.exactly":"exactly","bits.all_digits":"All digits","bits.digits":"all {count} significant digits","bits.step_down":"− ulp","bits.step_up":"+ ulp","bits.undo":"undo","bits.redo":"redo","bits.reset":"reset","bits.presets":"presets","bits.third":"1/3, to 25 digits","bits.copy":"copy","bits.copy_shortest":"shortest","bits.copy_exact":"exact","bits.copy_code":"code","bits.copy_hex_float":"hex float","bits.copy_numpy":"NumPy","bits.copy_torch":"torch","bits.copy_c":"C","bits.copied":"copied as {label}","bits.selected":"No clipboard here: the text is selected, press Ctrl+C or ⌘C.","bits.keys":"keys: ← → move · space flips · ↑ ↓ one ulp · Ctrl+Z undo · drag to paint","bits.midpoint":"midpoint {midpoint}","bits.line":"Number line: {marks}","bits.line_nan":"NaN has no place on the number line","bits.is_value":"*{value} is what these bits say*, exactly. Its neighbours in {format} are {previous} and {next}.","bits.is_infinity":"*These bits are {value}*: the exponent bits are all ones and the fraction is 0. Rounding gets here from *{midpoint}* on.","bits.is_nan":"*These bits are NaN*: the exponent bits are all ones and the fraction is not 0. The fraction’s first bit says quiet, the others may carry anything.","bits.exact":"*{typed} is a {format}*: nothing is rounded. Its neighbours are {previous} and {next}.","bits.nearest":"*{typed} is not a {format}.* It lies between {below} and {above}, nearer to *{value}* (error {error}).","bits.nearest_edge_tie":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins just past *{midpoint}*, the midpoint.","bits.nearest_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins at *{midpoint}*, the midpoint.","bits.tie":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: *{value}* (error {error}).","bits.tie_zero":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: it underflows to *zero* (error {error}).","bits.underflow":"*{typed} is not a {format}.* It lies between {below} and {above}, and nearer to 0: it underflows to *zero* (error {error}). Half of the smallest subnormal is {midpoint}.","bits.overflow":"*{typed} overflows to {infinity}.* The largest finite {format} on this side is {inner}; the next step would be {outer}. From *{midpoint}*, the midpoint, rounding to nearest gives infinity.","bits.overflow_tie":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. A tie goes to the even neighbour, and that is the step: overflow begins here.","bits.would_be_infinity":"which would be infinity","bits.would_be_nan":"whose code is NaN’s","bits.would_be_outside":"which has no code","bits.nothing_below":"nothing below","bits.nothing_above":"nothing above","bits.tie_away":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. With {rounding} a tie goes to the neighbour farther from zero: *{value}* (error {error}).","bits.direction":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}, so that the nearer does not matter: *{value}* (error {error}).","bits.direction_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. Rounding is {rounding}: *{value}* (error {error}).","bits.odd":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}: it takes the neighbour whose code is odd, *{value}* (error {error}).","bits.overflow_tie_away":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. With {rounding} a tie goes away from zero: overflow begins here.","bits.overflow_nan":"*{typed} overflows to NaN*: {format} has no infinity. Its largest number on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_stays":"*{typed} is out of range and becomes {value}.* The largest {format} on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_directed":"*{typed} overflows to {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, which leads past it, and the overflow policy is {policy}.","bits.overflow_inward":"*{typed} is out of range and becomes {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, and the overflow policy {policy}: neither leads past it.","bits.no_infinity":"*{typed} becomes {value}*: {format} has no infinity, and the overflow policy is {policy}.","bits.saturated":"*{typed} becomes {value}*: the overflow policy, {policy}, stops at the largest finite {format}.","bits.no_zero":"*{typed} becomes {value}*: {format} has no zero; its smallest number is {smallest}. The overflow policy is {policy}.","bits.no_negative":"*{typed} becomes {value}*: {format} has no negative numbers. The overflow policy is {policy}.","bits.too_small":"*{typed} becomes {value}*: {format} has nothing below {smallest}, not even zero.","bits.typed_infinity_code":"*{value} needs no rounding*: {format} keeps the code {code} for it.","bits.typed_nan_code":"*NaN needs no rounding*: {format} keeps the code {code} for it.","bits.is_infinity_code":"*These bits are {value}*: {format} keeps the code {code} for it. Rounding to nearest gets here from about *{midpoint}* on.","bits.is_nan_code":"*These bits are NaN*: {format} keeps the code {code} for it.","bits.pattern":"*{typed} is a bit pattern*: it is taken as the code itself, and nothing is rounded. In {format} these bits are {value}.","bits.typed_infinity":"*{value} needs no rounding*: {format} has a code for it, with exponent bits all ones and the fraction 0.","bits.typed_nan":"*NaN needs no rounding*: {format} has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, {code}.","line.title":"Rounding microscope","line.board":"Number line","line.format":"format","line.keys":"keys: ← → move · + − zoom · 0 fits · ↑ ↓ one ulp; or drag and wheel","line.zoom_in":"zoom in","line.zoom_out":"zoom out","line.zoom_in_sign":"+","line.zoom_out_sign":"−","line.left":"move left","line.right":"move right","line.left_sign":"←","line.right_sign":"→","line.fit":"fit","line.whole":"whole range","line.below":"neighbour below","line.above":"neighbour above","line.midpoint":"midpoint","line.this":"this value","line.taken":"taken","line.even":"{code} · even, E","line.odd":"{code} · odd, O","line.even_letter":"E","line.odd_letter":"O","line.overflows":"beyond the range","line.no_code":"no code: beyond the range","line.turns":"here rounding turns","line.turns_not":"this mode does not ask","line.one":"1 value in view","line.count":"{count} values in view","line.origin":"counted from {origin}","line.nothing":"none of its marks","line.described":"From {from} to {to}: {marks}. {rows}.","common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","code.form":"{text} is not a code; write it in hex, such as '0x{zeros}'","code.range":"{text} is not a {format} code: it has {bits} bits, so codes end at {last}","format.choice":"{field} must be one of {accepted}; {came} came","format.empty":"no code is left for a finite number other than zero; give the format more bits or fewer special values","format.ieee_pair":"an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither","format.ieee_width":"IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit","format.integer":"{field} must be a whole number from {low} to {high}; {came} came","format.name":"a format needs a name of 1 to {limit} characters","format.nan_place":"NaN can take the code of −0 only in a signed format that has a zero","format.no_nan":"{format} has no NaN; give a number, or choose a format that has one","format.no_sign":"{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate","format.no_zero":"{format} has no zero and no NaN to say so; give a positive number, or let it saturate","parse.binary":"{text} is not a number: after 0b only the digits 0 and 1 may stand","parse.digits":"{text} is not a number: write it in plain digits, {candidate}","parse.exponent":"the exponent of {text} is beyond ±{limit}; write inf or 0 instead","parse.form":"{text} is not a number: write a decimal (0.1, 1e-8), a hex float (0x1p-3), a bit pattern (0x7C00, 0b1), inf or nan","parse.hex_exponent":"{text} is not a number: a hex float ends in its exponent, such as 0x1.8p0","parse.payload":"{text} is not a number: for a NaN with a payload write its code, such as 0x7E01","parse.point":"{text} is not a number: write it with a decimal point, {candidate}","parse.separators":"{text} is not a number: write it without separators, {candidate}","parse.signed_pattern":"{text} is not a number: a bit pattern has no sign; write all its bits, or a hex float with a p, such as -0x1p3","parse.too_long":"a value may have {limit} characters, not {length}"};

// js/ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill(en_default[key], args);
}
function pieces(key, args = {}) {
  return marked(en_default[key], args);
}
function marked(text, args = {}) {
  return text.split("*").map((template, i) => ({ text: fill(template, args), strong: i % 2 === 1 }));
}
var listed = (parts) => joined("common.list", parts);
var inSeries = (parts) => joined("common.series", parts);
function joined(key, parts) {
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? "" : said.reduce((one, more) => t(key, { one, more }));
}
function fill(template, args) {
  return template.replace(PLACEHOLDER, (whole, name) => Object.hasOwn(args, name) ? String(args[name]) : whole);
}

// js/ui/attempt.ts
function attempt(edit) {
  try {
    edit();
    return "";
  } catch (error) {
    if (error instanceof InputError) return t(error.key, error.args);
    throw error;
  }
}

// js/ui/dom.ts
var SVG = "http://www.w3.org/2000/svg";
function h(tag, attributes = {}, ...children) {
  return fill2(document.createElement(tag), attributes, children);
}
function s(tag, attributes = {}, ...children) {
  return fill2(document.createElementNS(SVG, tag), attributes, children);
}
function fill2(element, attributes, children) {
  set(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== void 0));
  return element;
}
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === void 0 || value === false) {
      element.removeAttribute(name);
      continue;
    }
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
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

// js/ui/tab.ts
function kept(key) {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
function keep(key, text) {
  try {
    if (text) sessionStorage.setItem(key, text);
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
    for (const one of buttons(document)) show(one.closest(".mw"), one, large);
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
function labelled(text, control) {
  if (!control.id) control.id = uniqueId("control");
  return h("span", { class: "mw-row mw-labelled" }, h("label", { for: control.id, class: "mw-muted" }, text), control);
}

// mixwidgets/widgets/bit_editor/state.ts
var QUIET_MS = 150;
function numberLink(model, paint) {
  const one = getFormat("float16");
  let current = read(model) ?? typed({ fmt: one, code: 0n, input: "", rounding: ROUNDINGS[0], overflow: OVERFLOWS[0] }, "1");
  let saved = current;
  let timer;
  let settling = false;
  let closed = false;
  const write = () => {
    model.set("format", current.fmt.name);
    model.set("code", current.fmt.toHex(current.code));
    model.set("_input", current.input);
    for (const name of ["rounding", "overflow"]) {
      if (model.get(name) !== void 0 && current[name]) model.set(name, current[name]);
    }
  };
  const flush = () => {
    if (timer === void 0) return;
    clearTimeout(timer);
    timer = void 0;
    model.save_changes();
  };
  const settle = () => {
    settling = false;
    const arrived = read(model);
    if (closed || !arrived || sameNumber(arrived, current)) return;
    if (timer !== void 0 && sameNumber(arrived, saved)) {
      write();
      return;
    }
    clearTimeout(timer);
    timer = void 0;
    current = arrived;
    paint(current);
  };
  const changed = () => {
    if (!settling) queueMicrotask(settle);
    settling = true;
  };
  const events = ["format", "code", "_input", "rounding", "overflow"].map((name) => `change:${name}`);
  for (const event of events) model.on(event, changed);
  return {
    get number() {
      return current;
    },
    edit(next, when) {
      if (sameNumber(next, current)) return;
      if (timer === void 0) saved = current;
      clearTimeout(timer);
      current = next;
      write();
      paint(current);
      timer = setTimeout(flush, QUIET_MS);
      if (when === "now") flush();
    },
    flush,
    close() {
      closed = true;
      flush();
      for (const event of events) model.off(event, changed);
    }
  };
}
function read(model) {
  const fmt = getFormat(model.get("format"));
  const text = model.get("code");
  const rounding = oneOf(ROUNDINGS, model.get("rounding"));
  const overflow = oneOf(OVERFLOWS, model.get("overflow"));
  if (!fmt || typeof text !== "string" || !rounding || !overflow) return null;
  try {
    const code = fmt.toCode(text);
    if (fmt.toHex(code) !== text) return null;
    const number = { fmt, code, input: "", rounding, overflow };
    return { ...number, input: inputOf(number, model.get("_input")) };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
function oneOf(names, name) {
  return names.find((one) => one === (name ?? names[0]));
}
function inputOf(number, input) {
  try {
    return typeof input === "string" && encode(number.fmt, input, number) === number.code ? input : "";
  } catch (error) {
    if (error instanceof InputError) return "";
    throw error;
  }
}
function sameNumber(a, b) {
  return ["fmt", "code", "input", "rounding", "overflow"].every((name) => a[name] === b[name]);
}
function exactInput({ fmt, code, input }) {
  return input !== "" && toExact(input).kind !== "pattern" ? input : toDecimal(fmt, code);
}
function inFormat(number, fmt) {
  return typed({ ...number, fmt }, exactInput(number));
}
function typed(number, text) {
  return { ...number, code: encode(number.fmt, text, number), input: text.trim() };
}
function withCode(number, code) {
  return { ...number, code, input: "" };
}

// mixwidgets/widgets/bit_editor/address.ts
function accept(wanted) {
  const fmt = getFormat(wanted.format);
  if (!fmt) return null;
  const traits = { ...wanted, code: fmt.toHex(BigInt(wanted.code)) };
  const number = read({ get: (name) => traits[name] });
  return number?.input === traits._input ? traits : null;
}

// js/ui/digits.ts
var SHORT = 22;
function withMinus(text) {
  return text.replaceAll("-", "−");
}
function figure(fmt, code) {
  if (!isFinite(fmt, code)) return { text: withMinus(special(toDecimal(fmt, code))), isExact: true };
  if (fmt.hasNegativeZero && code === fmt.signBit) return { text: "−0", isExact: true };
  const text = cut(exact(fmt, code), SHORT);
  const isExact = text.length <= SHORT && !text.includes("…");
  return { text: isExact ? text : withMinus(shortest(fmt, code)), isExact };
}
function special(text) {
  return text === "nan" ? "NaN" : text.replace("inf", "∞");
}
function cut(x, most) {
  if (x.numerator === 0n) return "0";
  const sign = x.numerator < 0n ? "−" : "";
  const { digits, exponent, isExact } = leading(x, most);
  if (isExact) return sign + withMinus(notation(digits, exponent));
  const text = String(digits);
  const point = text.length + exponent;
  if (point > 0 && point < text.length) return `${sign}${text.slice(0, point)}.${text.slice(point)}…`;
  if (point > -6 && point <= 0) return `${sign}0.${"0".repeat(-point)}${text}…`;
  return `${sign}${text.slice(0, 1)}.${text.slice(1)}…e${point > 0 ? "+" : "−"}${Math.abs(point - 1)}`;
}
function digitsToTellApart(values, least) {
  for (let most = least; most < 40; most += 1) {
    const texts = values.map((x) => {
      if (x.numerator === 0n) return "0";
      const { digits, exponent } = leading(x, most);
      return (x.numerator < 0n ? "-" : "") + notation(digits, exponent);
    });
    if (new Set(texts).size === values.length) return most;
  }
  return 40;
}
function leading(x, most) {
  const magnitude = magnitudeOf(x);
  const exponent = floorLog10(magnitude) - most + 1;
  const { numerator, denominator } = divide(magnitude, power(10n, exponent));
  const digits = numerator / denominator;
  return { digits, exponent, isExact: digits * denominator === numerator };
}
function place(fmt, code) {
  if (isFinite(fmt, code)) return exact(fmt, code);
  return code & fmt.signBit ? negate(fmt.overflowStep) : fmt.overflowStep;
}

// mixwidgets/widgets/bit_editor/fields.ts
function textField(label, maxLength, commit) {
  const { element, error, show: show2 } = bareField({ maxlength: maxLength }, commit);
  return { element: labelled(label, element), error, show: show2 };
}
function bareField(attributes, commit) {
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
  let shown2 = "";
  let writing = false;
  const say = (text) => {
    setText(error, text);
    set(input, { "aria-invalid": text ? "true" : void 0, "aria-describedby": text ? error.id : void 0 });
  };
  const show2 = (text) => {
    shown2 = text;
    if (writing) return;
    input.value = text;
    say("");
  };
  const tryCommit = () => {
    if (!writing) return;
    if (input.value !== shown2) {
      const wrong = commit(input.value);
      say(wrong);
      if (wrong) return;
    }
    writing = false;
    show2(shown2);
  };
  input.addEventListener("input", () => {
    writing = true;
  });
  input.addEventListener("change", tryCommit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") tryCommit();
    if (writing && (event.ctrlKey || event.metaKey)) event.stopPropagation();
    if (event.key === "Escape" && writing) {
      writing = false;
      show2(shown2);
    }
  });
  return { element: input, error, show: show2 };
}

// js/core/formats/explain.ts
function explain(fmt, value, options = {}) {
  const given = typeof value === "string" ? toExact(value) : value;
  const code = encode(fmt, given, options);
  const alone = { given, code, below: code, above: code, midpoint: null };
  if (given.kind !== "finite") return { ...alone, rule: "exact", error: null, relativeError: null };
  const { negative, magnitude } = given;
  const error = isFinite(fmt, code) ? subtract(exact(fmt, code), negative ? negate(magnitude) : magnitude) : null;
  const relativeError = error && magnitude.numerator ? divide(error, magnitude) : null;
  const found = { ...alone, error, relativeError };
  if (error?.numerator === 0n) return { ...found, rule: "exact" };
  const floor = roundMagnitude(fmt, magnitude, "toward-zero");
  const tooSmall = compare(fmt.magnitude(floor), magnitude) > 0;
  if (tooSmall || negative && !fmt.signed) return { ...found, rule: "overflow" };
  const low = floor < fmt.maxCode ? floor : fmt.maxCode;
  const inner = withSign(fmt, low, negative);
  const outer = low < fmt.maxCode ? withSign(fmt, low + 1n, negative) : beyond(fmt, negative);
  const [below, above] = negative ? [outer, inner] : [inner, outer];
  const middle = divide(add(fmt.magnitude(low), fmt.magnitude(low + 1n)), rational(2n));
  const midpoint = negative ? negate(middle) : middle;
  return { ...found, below, above, midpoint, rule: ruleOf(fmt, given, middle, options.rounding) };
}
function ruleOf(fmt, given, middle, rounding = "ties-to-even") {
  const { magnitude, negative } = given;
  if (roundMagnitude(fmt, magnitude, rounding, negative) > fmt.maxCode) return "overflow";
  if (rounding === "to-odd") return "odd";
  if (!rounding.startsWith("ties")) return "direction";
  return compare(magnitude, middle) === 0 ? "tie" : "nearest";
}

// mixwidgets/widgets/bit_editor/words.ts
var SENTENCE_DIGITS = 17;
var ERROR_DIGITS = 9;
var TYPED = 40;
function typedText({ input }) {
  return withMinus(input.length <= TYPED ? input : input.slice(0, TYPED - 1) + "…");
}
function sentence(number) {
  const { fmt, code, input } = number;
  const kind = classify(fmt, code);
  const args = {
    format: fmt.name,
    typed: typedText(number),
    value: figure(fmt, code).text,
    code: fmt.toHex(code),
    rounding: number.rounding ?? ROUNDINGS[0],
    policy: number.overflow ?? OVERFLOWS[0]
  };
  if (input === "") return { ...ofBits(number, args), tone: kind === "infinity" ? "overflow" : "exact" };
  const how = explain(fmt, input, number);
  const ieee = fmt.nan === "ieee";
  if (how.given.kind === "pattern") return { key: "bits.pattern", args, tone: "exact" };
  if (how.given.kind === "nan") return { key: ieee ? "bits.typed_nan" : "bits.typed_nan_code", args, tone: "exact" };
  if (how.given.kind === "infinity") {
    args.typed = figureOfInfinity(how.given.negative);
    if (kind !== "infinity") return { key: fmt.infCode === null ? "bits.no_infinity" : "bits.saturated", args, tone: "overflow" };
    return { key: ieee ? "bits.typed_infinity" : "bits.typed_infinity_code", args, tone: "overflow" };
  }
  if (how.rule === "exact") return { key: "bits.exact", args: { ...args, ...neighbours(fmt, code) }, tone: "exact" };
  if (!how.midpoint) return ofNoPlace(number, how.given, args);
  return ofRounding(number, how, how.midpoint, args);
}
function ofNoPlace({ fmt }, given, args) {
  args.smallest = cut(fmt.magnitude(0n), ERROR_DIGITS);
  const isZero = given.magnitude.numerator === 0n;
  const key = isZero ? "bits.no_zero" : given.negative ? "bits.no_negative" : "bits.too_small";
  return { key, args, tone: "underflow" };
}
function ofRounding(number, how, midpoint, args) {
  const { fmt, code } = number;
  const { below, above, isEdge } = places(fmt, how);
  const value = exactOf(how);
  const tied = compare(value, midpoint) === 0;
  const least = how.rule === "overflow" ? ERROR_DIGITS : SENTENCE_DIGITS;
  const digits = digitsToTellApart([below, above, midpoint, ...tied ? [] : [value]], least);
  const negative = value.numerator < 0n;
  const [inner, outer] = negative ? [above, below] : [below, above];
  Object.assign(args, {
    below: cut(below, digits),
    above: cut(above, digits),
    inner: cut(inner, digits),
    outer: cut(outer, digits),
    midpoint: cut(midpoint, digits),
    infinity: figureOfInfinity(negative)
  });
  if (isFinite(fmt, code)) args.value = cut(exact(fmt, code), digits);
  if (how.error) args.error = signed(how.error);
  if (isEdge) args.outside = t(fmt.infCode !== null ? "bits.would_be_infinity" : fmt.nanCode !== null ? "bits.would_be_nan" : "bits.would_be_outside");
  if (how.rule === "overflow") return { key: overflowKey(number, tied), args, tone: "overflow" };
  const zero = classify(fmt, code) === "zero";
  const tone = zero ? "underflow" : "rounded";
  if (how.rule === "direction") return { key: isEdge ? "bits.direction_edge" : "bits.direction", args, tone };
  if (how.rule === "odd") return { key: "bits.odd", args, tone };
  if (how.rule === "tie") {
    if (number.rounding === "ties-to-away") return { key: "bits.tie_away", args, tone };
    return { key: zero ? "bits.tie_zero" : "bits.tie", args, tone };
  }
  if (isEdge) return { key: fmt.overflowTieStays ? "bits.nearest_edge_tie" : "bits.nearest_edge", args, tone };
  return { key: zero ? "bits.underflow" : "bits.nearest", args, tone };
}
function overflowKey({ fmt, code, rounding = ROUNDINGS[0] }, tied) {
  const kind = classify(fmt, code);
  if (!rounding.startsWith("ties")) return kind === "infinity" || kind === "nan" ? "bits.overflow_directed" : "bits.overflow_inward";
  if (kind === "infinity") return tied ? rounding === "ties-to-away" ? "bits.overflow_tie_away" : "bits.overflow_tie" : "bits.overflow";
  return kind === "nan" ? "bits.overflow_nan" : "bits.overflow_stays";
}
function places(fmt, how) {
  const { midpoint, below, above } = how;
  const isEdge = midpoint !== null && compare(magnitudeOf(midpoint), fmt.overflowThreshold) === 0;
  const negative = midpoint !== null && midpoint.numerator < 0n;
  return {
    below: isEdge && negative ? negate(fmt.overflowStep) : place(fmt, below),
    above: isEdge && !negative ? fmt.overflowStep : place(fmt, above),
    isEdge
  };
}
function exactOf({ given }) {
  if (given.kind !== "finite") throw new RangeError(`${given.kind} is no rational`);
  return given.negative ? negate(given.magnitude) : given.magnitude;
}
function signed(error) {
  return (error.numerator > 0n ? "+" : "") + cut(error, ERROR_DIGITS);
}
function figureOfInfinity(negative) {
  return negative ? "−∞" : "∞";
}
function ofBits({ fmt, code }, args) {
  const kind = classify(fmt, code);
  const ieee = fmt.nan === "ieee";
  if (kind === "nan") return { key: ieee ? "bits.is_nan" : "bits.is_nan_code", args };
  if (kind === "infinity") {
    const threshold = isNegative(fmt, code) ? negate(fmt.overflowThreshold) : fmt.overflowThreshold;
    return { key: ieee ? "bits.is_infinity" : "bits.is_infinity_code", args: { ...args, midpoint: cut(threshold, SENTENCE_DIGITS) } };
  }
  const value = args.value === "−0" ? args.value : cut(exact(fmt, code), SENTENCE_DIGITS);
  return { key: "bits.is_value", args: { ...args, value, ...neighbours(fmt, code) } };
}
function neighbours(fmt, code) {
  const [previous, next] = [nextDown(fmt, code), nextUp(fmt, code)];
  const finite = [previous, code, next].filter((c, i) => (i === 1 || c !== code) && isFinite(fmt, c)).map((c) => exact(fmt, c));
  const digits = digitsToTellApart(finite, SENTENCE_DIGITS);
  const say = (c) => isFinite(fmt, c) ? cut(exact(fmt, c), digits) : figure(fmt, c).text;
  return {
    previous: previous === code ? t("bits.nothing_below") : say(previous),
    next: next === code ? t("bits.nothing_above") : say(next)
  };
}

// mixwidgets/widgets/number_line/decision.ts
function decision() {
  const element = h("dl", { class: "mw-nl-decision" });
  const show2 = (number, marks) => {
    const rounded = marks.some(({ role }) => role === "midpoint");
    const cells = marks.filter(({ role }) => role !== "input" || !rounded);
    element.replaceChildren(...cells.map((mark) => cellOf(number, mark, rounded)));
  };
  return { element, show: show2 };
}
function cellOf(number, mark, rounded) {
  const { role, label, taken } = mark;
  const name = role === "input" ? t("line.this") : t(`line.${role}`);
  return h(
    "div",
    { class: "mw-nl-cell", "data-taken": taken ? "true" : void 0 },
    h("dt", {}, name, taken && rounded ? h("b", {}, t("line.taken")) : null),
    h("dd", { class: "mw-num" }, label),
    h("dd", { class: "mw-nl-parity" }, noteOf(number, mark))
  );
}
function noteOf({ fmt, rounding }, { role, code, even, beyond: beyond3 }) {
  if (role === "midpoint") return t(rounding?.startsWith("ties") === false ? "line.turns_not" : "line.turns");
  if (code === null) return t("line.no_code");
  const parity = even === null ? fmt.toHex(code) : t(even ? "line.even" : "line.odd", { code: fmt.toHex(code) });
  return beyond3 ? `${parity} · ${t("line.overflows")}` : parity;
}

// mixwidgets/widgets/number_line/view.ts
var FINEST = -4 * 1098;
var COARSEST = 4 * 1018;
var QUARTERS = [16n, 19n, 23n, 27n];
var GRID = 64n;
function unitOf(level) {
  const doublings = Math.floor(level / 4);
  return multiply(rational(QUARTERS[level - 4 * doublings], 16n), power(2n, doublings));
}
function levelOf(unit) {
  const doublings = floorLog2(unit);
  const quarter = QUARTERS.findIndex((_, i) => compare(unitOf(4 * doublings + i), unit) >= 0);
  return held(4 * doublings + (quarter < 0 ? 4 : quarter));
}
function held(level) {
  return Math.min(Math.max(level, FINEST), COARSEST);
}
function viewOf(centre, gap, share, width) {
  const pixels = BigInt(Math.max(1, Math.round(share * width)));
  return snapped(centre, levelOf(divide(gap, rational(pixels))), width);
}
function pixelOf(view, x) {
  return view.width / 2 + toNumber(divide(subtract(x, view.centre), unitOf(view.level)));
}
function valueAt(view, pixel) {
  const from = rational(BigInt(Math.round((pixel - view.width / 2) * 64)), GRID);
  return add(view.centre, multiply(from, unitOf(view.level)));
}
function endsOf(view) {
  return [valueAt(view, 0), valueAt(view, view.width)];
}
function panned(view, pixels) {
  return snapped(valueAt(view, view.width / 2 + pixels), view.level, view.width);
}
function zoomed(view, steps, pixel) {
  const level = held(view.level + steps);
  if (level === view.level) return view;
  const fixed = valueAt(view, pixel);
  const ratio = divide(unitOf(level), unitOf(view.level));
  return snapped(add(fixed, multiply(subtract(view.centre, fixed), ratio)), level, view.width);
}
function resized(view, width) {
  return { ...view, width };
}
function sees(view, x) {
  const [low, high] = endsOf(view);
  return compare(x, low) >= 0 && compare(x, high) <= 0;
}
function snapped(centre, level, width) {
  const grid = divide(unitOf(level), rational(GRID));
  const { numerator, denominator } = divide(magnitudeOf(centre), grid);
  const count = (2n * numerator + denominator) / (2n * denominator);
  return { centre: multiply(rational(centre.numerator < 0n ? -count : count), grid), level, width };
}

// mixwidgets/widgets/number_line/ruler.ts
var SPACING = 96;
var LONGEST = 11;
var DIGITS = 800;
function rulerOf(view, reference) {
  const plain = marksFrom(view, rational(0n), "");
  if (plain.every(({ label }) => label.length <= LONGEST)) return { marks: plain, origin: null };
  return { marks: marksFrom(view, reference, "+"), origin: reference };
}
function marksFrom(view, origin, plus) {
  const step2 = niceStep(multiply(unitOf(view.level), rational(BigInt(SPACING))));
  const [low, high] = endsOf(view).map((end) => subtract(end, origin));
  const marks = [];
  for (let n = ceiling(divide(low, step2)); ; n += 1n) {
    const offset = multiply(rational(n), step2);
    if (compare(offset, high) > 0) return marks;
    const text = cut(offset, DIGITS);
    marks.push({ x: pixelOf(view, add(origin, offset)), label: n > 0n ? plus + text : text });
  }
}
function niceStep(x) {
  const ten = power(10n, floorLog10(x));
  return [1n, 2n, 5n, 10n].map((n) => multiply(rational(n), ten)).find((step2) => compare(step2, x) >= 0);
}
function ceiling({ numerator, denominator }) {
  const quotient = numerator / denominator;
  return quotient * denominator < numerator ? quotient + 1n : quotient;
}

// mixwidgets/widgets/number_line/ticks.ts
var APART = 3;
var NONE = rational(0n);
function largest(fmt) {
  return exact(fmt, fmt.maxCode);
}
function lowest(fmt) {
  return fmt.signed ? negate(largest(fmt)) : exact(fmt, 0n);
}
function rowOf(fmt, view) {
  const [left, right] = endsOf(view);
  const low = compare(left, lowest(fmt)) > 0 ? left : lowest(fmt);
  const high = compare(right, largest(fmt)) < 0 ? right : largest(fmt);
  if (compare(low, high) > 0) return { ticks: [], bands: [], range: null, count: 0n };
  const ticks = [];
  const bands = [];
  if (low.numerator < 0n) walk(fmt, view, high.numerator < 0n ? negate(high) : NONE, negate(low), true, ticks, bands);
  if (fmt.hasZero && low.numerator <= 0n && high.numerator >= 0n) {
    ticks.push({ x: pixelOf(view, NONE), value: NONE, code: 0n });
  }
  if (high.numerator > 0n) walk(fmt, view, low.numerator > 0n ? low : NONE, high, false, ticks, bands);
  return {
    ticks: ticks.sort((a, b) => a.x - b.x),
    bands: joined2(bands),
    range: [pixelOf(view, low), pixelOf(view, high)],
    count: countIn(fmt, low, high)
  };
}
function walk(fmt, view, low, high, negative, ticks, bands) {
  const place2 = (magnitude) => pixelOf(view, negative ? negate(magnitude) : magnitude);
  const sign = negative ? fmt.signBit : 0n;
  const unit = unitOf(view.level);
  const floor = lowestMagnitude(fmt);
  let top = high;
  while (top.numerator > 0n && compare(top, floor) >= 0) {
    const exponent = Math.max(floorLog2(top), fmt.emin);
    const subnormal = fmt.hasZero && exponent === fmt.emin && compare(top, power(2n, exponent)) < 0;
    const start = subnormal ? NONE : power(2n, exponent);
    const bottom = compare(start, low) > 0 ? start : low;
    const quantum = power(2n, exponent - fmt.fractionBits);
    const gap = toNumber(divide(quantum, unit));
    if (toNumber(divide(power(2n, exponent + 1), unit)) < 2 * APART) {
      bands.push(stretch(place2(low), place2(top), 0));
      return;
    }
    if (gap < APART) {
      bands.push(stretch(place2(bottom), place2(top), gap));
    } else {
      const whole = divide(top, quantum);
      let k = whole.numerator / whole.denominator;
      for (; k > 0n; k -= 1n) {
        const magnitude = multiply(rational(k), quantum);
        if (compare(magnitude, bottom) < 0) break;
        const code = codeOf(fmt, exponent, k);
        ticks.push({ x: place2(magnitude), value: negative ? negate(magnitude) : magnitude, code: sign | code });
      }
    }
    if (compare(start, low) <= 0) return;
    const below = power(2n, exponent > fmt.emin || !fmt.hasZero ? exponent - 1 - fmt.fractionBits : fmt.emin - fmt.fractionBits);
    const next = add(start, negate(below));
    if (gap < APART) bands.push(stretch(place2(next), place2(start), gap / 2));
    top = next;
  }
}
function stretch(a, b, gap) {
  return { from: Math.min(a, b), to: Math.max(a, b), gap };
}
function joined2(bands) {
  const all = [];
  for (const band of [...bands].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && last.gap === band.gap && band.from - last.to < 0.5) all[all.length - 1] = { ...last, to: band.to };
    else all.push(band);
  }
  return all;
}
function codeOf(fmt, exponent, k) {
  const hidden = fmt.hasZero ? 0n : 1n << BigInt(fmt.fractionBits);
  return (BigInt(exponent - fmt.emin) << BigInt(fmt.fractionBits)) + k - hidden;
}
function lowestMagnitude(fmt) {
  return exact(fmt, fmt.hasZero ? 1n : 0n);
}
function countIn(fmt, low, high) {
  const [below, above] = [magnitudeOf(low), magnitudeOf(high)];
  if (low.numerator > 0n) return upTo(fmt, above) - upTo(fmt, below) + (isValue(fmt, below) ? 1n : 0n);
  if (high.numerator < 0n) return upTo(fmt, below) - upTo(fmt, above) + (isValue(fmt, above) ? 1n : 0n);
  return upTo(fmt, above) + (fmt.signed ? upTo(fmt, below) : 0n) + (fmt.hasZero ? 1n : 0n);
}
function upTo(fmt, magnitude) {
  if (compare(magnitude, lowestMagnitude(fmt)) < 0) return 0n;
  const exponent = Math.max(floorLog2(magnitude), fmt.emin);
  const scaled = divide(magnitude, power(2n, exponent - fmt.fractionBits));
  return codeOf(fmt, exponent, scaled.numerator / scaled.denominator) + (fmt.hasZero ? 0n : 1n);
}
function isValue(fmt, magnitude) {
  const exponent = Math.max(floorLog2(magnitude), fmt.emin);
  const { numerator, denominator } = divide(magnitude, power(2n, exponent - fmt.fractionBits));
  return numerator % denominator === 0n;
}

// mixwidgets/widgets/number_line/drawing.ts
var CAPTION = 12;
var MIDPOINT = 38;
var INPUT = 56;
var AXIS = 80;
var LETTERS = 106;
var LABELS = 124;
var ROWS = 140;
var ROW = 48;
var RULER = 44;
var LETTERED = 18;
var CHARACTER = 7.4;
var EDGE = 6;
function heightOf(others) {
  return ROWS + ROW * others + RULER;
}
function draw(svg, { fmt, marks, others, text }, view) {
  const height = heightOf(others.length);
  set(svg, { viewBox: `0 0 ${view.width} ${height}`, height });
  const rows = [fmt, ...others].map((one) => ({ one, row: rowOf(one, view) }));
  const captions = rows.map(({ one, row }) => captionOf(one, row, one === fmt ? "" : text, view.width));
  const input = marks.find(({ role }) => role === "input");
  const plumb = input && pixelOf(view, input.value);
  const inside = plumb !== void 0 && plumb >= 0 && plumb <= view.width;
  svg.replaceChildren(
    ...inside && others.length ? [s("line", { class: "mw-nl-plumb", x1: plumb, x2: plumb, y1: AXIS, y2: height - RULER })] : [],
    ...rows.flatMap(({ one, row }, i) => {
      const top = i === 0 ? AXIS - 10 : ROWS + ROW * (i - 1) + 20;
      const caption = s("text", { class: "mw-nl-caption", x: 0, y: i === 0 ? CAPTION : ROWS + ROW * (i - 1) + 13 });
      caption.append(s("tspan", { class: "mw-nl-name" }, one.name), captions[i]);
      return [caption, ...drawRow(row, view, top, 20), ...i === 0 ? [] : drawResult(one, text, view, top + 10)];
    }),
    ...fmt.tiesToLarger ? [] : drawLetters(rows[0].row),
    ...drawMarks(marks, view),
    ...drawRuler(view, input?.value ?? rational(0n), height - RULER + 8)
  );
  return rows.map(({ one }, i) => one.name + captions[i]);
}
function captionOf(fmt, { count }, text, width) {
  const parts = [count === 1n ? t("line.one") : t("line.count", { count: countText(count) })];
  const result = resultOf(fmt, text);
  if (result !== null) parts.push(`→ ${figure(fmt, result).text}`);
  return " · " + (width < 420 && text ? parts.slice(1) : parts).join(" · ");
}
function resultOf(fmt, text) {
  try {
    return text ? encode(fmt, text) : null;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
function countText(count) {
  if (count < 10000000n) return count.toLocaleString("en-US");
  return `≈ ${cut(rational(count - count % 10n ** BigInt(String(count).length - 2)), 2)}`;
}
function drawRow({ ticks, bands, range }, view, top, high) {
  const middle = top + high / 2;
  const lines = [s("line", { class: "mw-nl-beyond", x1: 0, x2: view.width, y1: middle, y2: middle })];
  if (range) lines.push(s("line", { class: "mw-nl-axis", x1: range[0], x2: range[1], y1: middle, y2: middle }));
  return [
    ...lines,
    ...bands.map(({ from, to, gap }) => {
      const x = Math.max(from, 0);
      const opacity = 0.35 + 0.65 * (1 - gap / APART);
      const width = Math.max(Math.min(to, view.width) - x, 1);
      return s("rect", { class: "mw-nl-band", x, y: top + 3, width, height: high - 6, opacity: opacity.toFixed(2) });
    }),
    ...ticks.map(({ x }) => s("line", { class: "mw-nl-tick", x1: x, x2: x, y1: top, y2: top + high }))
  ];
}
function drawResult(fmt, text, view, y) {
  const code = resultOf(fmt, text);
  if (code === null || !isFinite(fmt, code)) return [];
  const x = pixelOf(view, exact(fmt, code));
  return x < 0 || x > view.width ? [] : [s("circle", { class: "mw-nl-result", cx: x, cy: y, r: 5 })];
}
function drawLetters({ ticks, bands }) {
  return ticks.filter(({ x }, i) => {
    const beside = [ticks[i - 1], ticks[i + 1]].filter((tick) => tick !== void 0);
    const clear = bands.every(({ from, to }) => x < from - LETTERED || x > to + LETTERED);
    return clear && beside.every((tick) => Math.abs(tick.x - x) >= LETTERED);
  }).map(({ x, code }) => letterAt(x, (code & 1n) === 0n));
}
function letterAt(x, even) {
  return s("text", { class: "mw-nl-letter", x, y: LETTERS }, t(even ? "line.even_letter" : "line.odd_letter"));
}
function drawMarks(marks, view) {
  const taken = [];
  const drawn = [...marks].sort((a, b) => Number(b.taken) - Number(a.taken)).map((mark) => {
    const x = pixelOf(view, mark.value);
    const group = s("g", { class: `mw-nl-${mark.role}${mark.taken ? " mw-nl-taken" : ""}` });
    const inside = x >= 0 && x <= view.width;
    const label = mark.role === "midpoint" ? t("bits.midpoint", { midpoint: mark.label }) : mark.label;
    const half = label.length * CHARACTER / 2;
    const at = Math.min(Math.max(x, half + EDGE), view.width - half - EDGE);
    if (mark.role === "input") {
      group.append(inside ? s("circle", { cx: x, cy: AXIS, r: 6 }) : arrow(x > view.width, view.width));
      group.append(s("text", { x: at, y: INPUT }, label));
    } else if (inside && mark.role === "midpoint") {
      group.append(s("line", { x1: x, x2: x, y1: MIDPOINT + 6, y2: AXIS + 14 }), s("text", { x: at, y: MIDPOINT }, label));
    } else if (inside) {
      if (mark.beyond) group.classList.add("mw-nl-infinite");
      group.append(s("line", { x1: x, x2: x, y1: AXIS - 12, y2: AXIS + 12 }));
      if (mark.beyond && mark.even !== null) group.append(letterAt(x, mark.even));
      const apart = marks.every((one) => one === mark || one.role === "midpoint" || one.role === "input" || Math.abs(pixelOf(view, one.value) - x) >= LETTERED);
      const free = (apart || mark.taken) && taken.every(([from, to]) => at + half < from || at - half > to);
      if (free) {
        taken.push([at - half - EDGE, at + half + EDGE]);
        group.append(s("text", { x: at, y: LABELS }, label));
      }
    }
    return group;
  });
  return drawn.reverse();
}
function arrow(right, width) {
  const [tip, back] = right ? [width - 1, width - 13] : [1, 13];
  return s("path", { d: `M${back},${AXIS - 7} L${tip},${AXIS} L${back},${AXIS + 7} Z` });
}
function drawRuler(view, reference, y) {
  const { marks, origin } = rulerOf(view, reference);
  const note = origin && s("text", { class: "mw-nl-origin", x: 0, y: y + 34 }, t("line.origin", { origin: cut(origin, 17) }));
  return [
    s("line", { class: "mw-nl-axis", x1: 0, x2: view.width, y1: y, y2: y }),
    ...marks.map(({ x, label }) => {
      const half = label.length * CHARACTER / 2;
      const whole = x - half >= 0 && x + half <= view.width;
      return s(
        "g",
        { class: "mw-nl-ruler" },
        s("line", { x1: x, x2: x, y1: y, y2: y + 5 }),
        whole ? s("text", { x, y: y + 18 }, label) : null
      );
    }),
    ...note ? [note] : []
  ];
}

// js/ui/pixels.ts
function zoomOf(element) {
  const { width } = element.getBoundingClientRect();
  return (width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1) * untoldZoom(element);
}
function cornerOf(element) {
  const { left, top } = element.getBoundingClientRect();
  const zoom = untoldZoom(element);
  return { left: (left + scrollX) * zoom - scrollX, top: (top + scrollY) * zoom - scrollY };
}
function untoldZoom(element) {
  let zoom = 1;
  if (element.currentCSSZoom !== void 0) return zoom;
  for (let one = element; one; one = one.parentElement) zoom *= Number(getComputedStyle(one).zoom) || 1;
  return zoom;
}

// js/ui/pointer.ts
function pointIn(element, { clientX, clientY }) {
  const { left, top } = cornerOf(element);
  const zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

// mixwidgets/widgets/number_line/hand.ts
var NOTCH = 40;
var LINE = 16;
var KEY_PAN = 48;
var KEY_ZOOM = 2;
function listen(element, { zoom, pan, fit, step: step2 }, signal) {
  let wheeled = 0;
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pan(event.deltaX * scale);
      return;
    }
    wheeled += event.deltaY * scale;
    const steps = Math.trunc(wheeled / NOTCH);
    if (steps) zoom(steps, pointIn(element, event).x);
    wheeled -= steps * NOTCH;
  }, { signal, passive: false });
  let held2;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held2 = event.clientX;
    element.setPointerCapture(event.pointerId);
  }, { signal });
  element.addEventListener("pointermove", (event) => {
    if (held2 === void 0 || event.clientX === held2) return;
    pan((held2 - event.clientX) / zoomOf(element));
    held2 = event.clientX;
  }, { signal });
  for (const end of ["pointerup", "pointercancel"]) {
    element.addEventListener(end, () => {
      held2 = void 0;
    }, { signal });
  }
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const actions = {
      ArrowLeft: () => pan(-KEY_PAN),
      ArrowRight: () => pan(KEY_PAN),
      ArrowUp: () => step2(1),
      ArrowDown: () => step2(-1),
      "+": () => zoom(-KEY_ZOOM),
      "=": () => zoom(-KEY_ZOOM),
      // + without Shift
      "-": () => zoom(KEY_ZOOM),
      Home: fit,
      "0": fit
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : void 0;
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
}

// mixwidgets/widgets/number_line/marks.ts
var DIGITS2 = 12;
function marksOf(number) {
  const { fmt, code, input } = number;
  const how = input === "" ? null : explain(fmt, input, number);
  if (how?.midpoint) return ofRounding2(number, how, how.midpoint);
  if (classify(fmt, code) === "nan") return [];
  const beside = [nextDown(fmt, code), code, nextUp(fmt, code)].filter((one, i) => i === 1 || one !== code);
  const digits = digitsToTellApart(beside.map((one) => place(fmt, one)), DIGITS2);
  return beside.map((one) => {
    const role = one === code ? "input" : compare(place(fmt, one), place(fmt, code)) > 0 ? "above" : "below";
    return neighbour(fmt, role, one, digits, one === code);
  });
}
function ofRounding2(number, how, midpoint) {
  const { fmt, code } = number;
  const { below, above, isEdge } = places(fmt, how);
  const value = exactOf(how);
  const apart = compare(value, midpoint) === 0 ? [] : [value];
  const digits = digitsToTellApart([below, above, midpoint, ...apart], DIGITS2);
  const negative = midpoint.numerator < 0n;
  const beside = (role) => isEdge && role === "below" === negative ? beyond2(fmt, role, negative, digits, !isFinite(fmt, code)) : neighbour(fmt, role, how[role], digits, how[role] === code);
  const bare = { code: null, even: null, taken: false, beyond: false };
  return [
    beside("below"),
    { role: "midpoint", value: midpoint, label: cut(midpoint, digits), ...bare },
    { role: "input", value, label: typedText(number).slice(0, 24), ...bare },
    beside("above")
  ];
}
function neighbour(fmt, role, code, digits, taken) {
  if (!isFinite(fmt, code)) return beyond2(fmt, role, isNegative(fmt, code), digits, taken);
  const zero = figure(fmt, code).text === "−0";
  const value = place(fmt, code);
  return { role, value, label: zero ? "−0" : cut(value, digits), code, even: isEven(fmt, code), taken, beyond: false };
}
function isEven(fmt, code) {
  return fmt.tiesToLarger ? null : (code & 1n) === 0n;
}
function beyond2(fmt, role, negative, digits, taken) {
  const value = negative ? negate(fmt.overflowStep) : fmt.overflowStep;
  const end = fmt.infCode ?? fmt.nanCode;
  const code = end === null ? null : end | (negative ? fmt.signBit : 0n);
  const label = code === null ? cut(value, digits) : `${cut(value, digits)} → ${figure(fmt, code).text}`;
  return { role, value, label, code, even: fmt.tiesToLarger ? null : !fmt.overflowTieStays, taken, beyond: true };
}
function fitted(marks, width) {
  const of = (role) => marks.find((mark) => mark.role === role)?.value;
  const [midpoint, input, beside] = [of("midpoint"), of("input") ?? rational(0n), [of("below"), of("above")]];
  const centre = midpoint ?? input;
  const gaps = beside.flatMap((value) => value ? [magnitudeOf(subtract(value, centre))] : []);
  const gap = gaps.reduce((a, b) => compare(a, b) >= 0 ? a : b, rational(0n));
  return viewOf(centre, gap.numerator ? gap : rational(1n), midpoint ? 0.21 : 0.24, width);
}

// mixwidgets/widgets/number_line/page.ts
var LONGEST_TEXT = 2e4;
var ANNOUNCE_MS = 600;
var NARROWEST = 240;
var FIRST_WIDTH = 800;
function render({ model, el }) {
  const { root, head } = card(el, t("line.title"));
  root.classList.add("mw-number-line");
  const select = h("select", {}, ...formats.map((fmt) => h("option", { value: fmt.name }, fmt.name)));
  const value = textField(t("common.value"), LONGEST_TEXT, (text) => attempt(() => link.edit(typed(link.number, text), "now")));
  const wrong = h("p", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  head.append(h("div", { class: "mw-row" }, labelled(t("line.format"), select), value.element));
  const callout = h("p", { class: "mw-callout" });
  const cells = decision();
  const svg = s("svg", { class: "mw-nl", role: "img" });
  const keys = h("span", { class: "mw-note", id: uniqueId("keys") }, t("line.keys"));
  const board = h("div", {
    class: "mw-nl-board",
    tabindex: 0,
    role: "group",
    "aria-label": t("line.board"),
    "aria-describedby": keys.id
  }, svg);
  const button = (text, act, name) => {
    const one = h("button", { type: "button", "aria-label": name }, text);
    one.addEventListener("click", act);
    return one;
  };
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let scene;
  let view = { centre: { numerator: 0n, denominator: 1n }, level: 0, width: FIRST_WIDTH };
  let moved = false;
  let announcing;
  const announce = (words) => {
    clearTimeout(announcing);
    announcing = setTimeout(() => setText(spoken, words), ANNOUNCE_MS);
  };
  const paint = () => {
    const captions = draw(svg, { fmt: scene.number.fmt, ...scene }, view);
    const [from, to] = endsOf(view).map((end) => cut(end, 17));
    const marks = listed(scene.marks.filter((mark) => sees(view, mark.value)).map((mark) => mark.label));
    const words = t("line.described", { from, to, marks: marks || t("line.nothing"), rows: inSeries(captions) });
    set(svg, { "aria-label": words });
    return words;
  };
  const look = (next) => {
    view = next;
    moved = true;
    announce(paint());
  };
  const fit = () => {
    view = fitted(scene.marks, view.width);
    moved = false;
    announce(paint());
  };
  const zoom = (steps, pixel = view.width / 2) => look(zoomed(view, steps, pixel));
  const pan = (pixels) => look(panned(view, pixels));
  const whole = () => look(viewOf({ numerator: 0n, denominator: 1n }, largest(scene.number.fmt), 0.46, view.width));
  const show2 = (number) => {
    select.value = number.fmt.name;
    setText(wrong, "");
    value.show(number.input || toDecimal(number.fmt, number.code));
    const marks = marksOf(number);
    scene = { number, marks, others: othersOf(model, number.fmt), text: exactInput(number) };
    svg.style.minHeight = `${heightOf(scene.others.length)}px`;
    const { key, args, tone } = sentence(number);
    callout.dataset.tone = tone;
    callout.replaceChildren(...pieces(key, args).map(({ text, strong }) => strong ? h("strong", {}, text) : text));
    cells.show(number, marks);
    const here = marks.find(({ role }) => role === "input");
    if (!moved || !here || !sees(view, here.value)) view = { ...fitted(marks, view.width) };
    paint();
  };
  const link = numberLink(model, (number) => {
    show2(number);
    announce(callout.textContent);
  });
  select.addEventListener("change", () => {
    moved = false;
    const error = attempt(() => link.edit(inFormat(link.number, getFormat(select.value)), "now"));
    select.value = link.number.fmt.name;
    setText(wrong, error);
  });
  root.append(
    value.error,
    wrong,
    callout,
    cells.element,
    board,
    h(
      "div",
      { class: "mw-row" },
      button(t("line.zoom_out_sign"), () => zoom(4), t("line.zoom_out")),
      button(t("line.zoom_in_sign"), () => zoom(-4), t("line.zoom_in")),
      button(t("line.left_sign"), () => pan(-view.width / 4), t("line.left")),
      button(t("line.right_sign"), () => pan(view.width / 4), t("line.right")),
      button(t("line.fit"), fit),
      button(t("line.whole"), whole),
      keys
    ),
    spoken
  );
  show2(link.number);
  const listening = new AbortController();
  const step2 = (direction) => {
    const next = direction > 0 ? nextUp : nextDown;
    link.edit(withCode(link.number, next(link.number.fmt, link.number.code)), "soon");
  };
  listen(board, { zoom, pan, fit, step: step2 }, listening.signal);
  const compare2 = () => show2(link.number);
  model.on("change:formats", compare2);
  const observer = new ResizeObserver(() => {
    const width = Math.max(Math.round(board.clientWidth), NARROWEST);
    if (width === view.width) return;
    view = moved ? resized(view, width) : fitted(scene.marks, width);
    paint();
  });
  observer.observe(board);
  return () => {
    clearTimeout(announcing);
    observer.disconnect();
    listening.abort();
    model.off("change:formats", compare2);
    link.close();
    root.remove();
  };
}
function othersOf(model, fmt) {
  const names = model.get("formats");
  const found = Array.isArray(names) ? names.map((name) => getFormat(name)) : [];
  return [...new Set(found)].filter((one) => one !== void 0 && one !== fmt);
}
var page_default = { render, accept };
export {
  page_default as default
};
