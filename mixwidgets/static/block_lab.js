// mixwidgets/formats/block_catalogue.json
var block_catalogue_default = {
  about: "Every block format: block_size elements share one scale. element and scale name formats of catalogue.json, or int8: a two's-complement integer over 64. tensor_scale: the format of a further scale that all blocks of a tensor share, or null. bits an element = element bits + scale bits / block_size.",
  formats: [
    {
      name: "mxfp8_e4m3",
      element: "float8_e4m3fn",
      block_size: 32,
      scale: "float8_e8m0fnu",
      tensor_scale: null,
      citation: "OCP Microscaling Formats (MX) 1.0, table 1"
    },
    {
      name: "mxfp8_e5m2",
      element: "float8_e5m2",
      block_size: 32,
      scale: "float8_e8m0fnu",
      tensor_scale: null,
      citation: "OCP Microscaling Formats (MX) 1.0, table 1"
    },
    {
      name: "mxfp6_e3m2",
      element: "float6_e3m2fn",
      block_size: 32,
      scale: "float8_e8m0fnu",
      tensor_scale: null,
      citation: "OCP Microscaling Formats (MX) 1.0, table 1"
    },
    {
      name: "mxfp6_e2m3",
      element: "float6_e2m3fn",
      block_size: 32,
      scale: "float8_e8m0fnu",
      tensor_scale: null,
      citation: "OCP Microscaling Formats (MX) 1.0, table 1"
    },
    {
      name: "mxfp4",
      element: "float4_e2m1fn",
      block_size: 32,
      scale: "float8_e8m0fnu",
      tensor_scale: null,
      citation: "OCP Microscaling Formats (MX) 1.0, table 1"
    },
    {
      name: "mxint8",
      element: "int8",
      block_size: 32,
      scale: "float8_e8m0fnu",
      tensor_scale: null,
      citation: "OCP Microscaling Formats (MX) 1.0, table 1"
    },
    {
      name: "nvfp4",
      element: "float4_e2m1fn",
      block_size: 16,
      scale: "float8_e4m3fn",
      tensor_scale: "float32",
      citation: "NVIDIA, Pretraining Large Language Models with NVFP4, arXiv:2509.25149"
    }
  ]
};

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
function bitLength(n) {
  const hex2 = n.toString(16);
  return 4 * (hex2.length - 1) + Number.parseInt(hex2.slice(0, 1), 16).toString(2).length;
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
  const special = SPECIAL.exec(body)?.groups;
  if (special) {
    const kind = special.word?.toLowerCase() === "nan" ? "nan" : "infinity";
    return { kind, negative: isMinus(special.sign), magnitude: rational(0n) };
  }
  const decimal = DECIMAL.exec(body)?.groups;
  if (decimal) return assemble(decimal, "", 10n, 10n, body);
  const hex2 = HEX_FLOAT.exec(body)?.groups;
  if (hex2) return assemble(hex2, "0x", 16n, 2n, body);
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

// js/core/blocks/element.ts
function floatElement(fmt) {
  return {
    name: fmt.name,
    bits: fmt.bits,
    fractionBits: fmt.fractionBits,
    max: fmt.magnitude(fmt.maxCode),
    overflowThreshold: fmt.overflowThreshold,
    encode: (negative, magnitude) => Number(encode(fmt, { kind: "finite", negative, magnitude }, { overflow: "saturate" })),
    decode: (code) => exact(fmt, BigInt(code))
  };
}
function fixedPoint(name, bits, fractionBits) {
  const top = 2 ** (bits - 1);
  const unit = power(2n, fractionBits);
  return {
    name,
    bits,
    fractionBits,
    max: multiply(rational(BigInt(top - 1)), power(2n, -fractionBits)),
    overflowThreshold: multiply(rational(BigInt(2 * top - 1)), power(2n, -fractionBits - 1)),
    encode(negative, magnitude) {
      const limit = rational(BigInt(top - 1));
      const scaled = multiply(magnitude, unit);
      const quanta = compare(scaled, limit) > 0 ? top - 1 : nearestInteger(scaled);
      return negative && quanta > 0 ? 2 * top - quanta : quanta;
    },
    decode: (code) => multiply(rational(BigInt(code < top ? code : code - 2 * top)), power(2n, -fractionBits))
  };
}
function nearestInteger({ numerator, denominator }) {
  const below = numerator / denominator;
  const beside = 2n * (numerator - below * denominator) - denominator;
  return Number(below) + Number(beside > 0n || beside === 0n && (below & 1n) === 1n);
}

// js/core/blocks/catalogue.ts
var INT8 = fixedPoint("int8", 8, 6);
var blockFormats = block_catalogue_default.formats.map((row) => {
  const element = row.element === INT8.name ? INT8 : floatElement(getFormat(row.element));
  const scale = getFormat(row.scale);
  return {
    name: row.name,
    element,
    blockSize: row.block_size,
    scale,
    tensorScale: row.tensor_scale ? getFormat(row.tensor_scale) : null,
    bitsPerElement: element.bits + scale.bits / row.block_size
  };
});
function getBlockFormat(name) {
  return blockFormats.find((fmt) => fmt.name === name);
}

// js/core/blocks/scale_rules.ts
var SCALE_RULES = ["FLOOR", "CEIL", "RCEIL", "EVEN"];
function scaleExponent(amax, element, rule) {
  const exponent = floorLog2(amax);
  const emax = floorLog2(element.max);
  const significand = multiply(amax, power(2n, -exponent));
  const oneMore = {
    FLOOR: () => false,
    CEIL: () => compare(significand, rational(1n)) > 0,
    RCEIL: () => compare(significand, multiply(element.max, power(2n, -emax))) > 0,
    EVEN: () => compare(significand, subtract(rational(2n), power(2n, -element.fractionBits - 1))) >= 0
  }[rule]();
  return exponent - emax + Number(oneMore);
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

// js/messages/en.json
var en_default = /* messages */ {"blocks.title":"Block lab","blocks.formats":"Block format","blocks.rules":"scale rule","blocks.lost":"become 0","blocks.lost_of":"{count} of {all}","blocks.error":"relative error","blocks.error_how":"‖error‖ / ‖values‖","blocks.scale":"shared scale","blocks.scale_of":"shared scale of block {block}","blocks.scale_code":"= {value} · {format} code {code}","blocks.scale_code_tensor":"= {value} (code {code}) × tensor scale {tensor}","blocks.bits":"bits per element","blocks.bits_how":"{element} + {scale} / {size}","blocks.sets":"*Element {element} sets the shared scale {scale}*: {lost}.","blocks.sets_block":"*Element {element} sets the scale of block {block}, {scale}*: {lost}.","blocks.zeros":"*All elements are 0*: the shared scale keeps its smallest value, {scale}.","blocks.zeros_block":"*All elements of block {block} are 0*: its scale keeps its smallest value, {scale}.","blocks.alone":"no other element is left to lose","blocks.none_lost":"none of the {others} others becomes 0","blocks.one_lost":"1 of the {others} others becomes 0","blocks.some_lost":"{count} of the {others} others become 0","blocks.clipped":"Element {element} itself is clipped: beyond {largest} × the scale there is nothing, so {value} becomes {result}.","blocks.own_rule":"{format} has a rule of its own: scale = amax of the block / ({largest} × tensor scale), rounded to {scale}; tensor scale = amax of all / ({most} × {largest}).","blocks.rule_FLOOR":"FLOOR: the exponent of amax less that of the largest element. What lies above the largest element is clipped.","blocks.rule_CEIL":"CEIL: as FLOOR, and one more unless amax is a power of two. Nothing is clipped; every element may lose one bit.","blocks.rule_RCEIL":"RCEIL: the least power of two at which amax does not exceed the largest element.","blocks.rule_EVEN":"EVEN: amax is first rounded to the element’s fraction bits, then as FLOOR.","blocks.plot":"Elements: outline the true value, fill what is stored","blocks.row":"elements {from} to {to}","blocks.true":"true value","blocks.kind_rounded":"stored value","blocks.kind_lost":"becomes 0","blocks.kind_clipped":"clipped","blocks.strip":"relative error of each, up to 100 %","blocks.sets_mark":"max","blocks.element":"element {element}","blocks.now":"{value}, stored as {result}, error {error}","blocks.value_of":"value of element {element}","blocks.becomes":"stored as *{result}* · {element} code {code} · error {error} ({relative})","blocks.reset":"reset","blocks.keys":"drag a bar, or keys: ← → choose · ↑ ↓ change · page up, page down change more","blocks.bad_value":"An element is a finite float32 number, such as 0.5 or -1e3; {came} came. {kept} stays.","blocks.nothing":"nothing","blocks.all":"All elements as numbers","blocks.column_element":"element","blocks.column_value":"value","blocks.column_result":"stored as","blocks.column_code":"code","blocks.column_error":"error","blocks.column_relative":"relative","blocks.unreadable":"This block cannot be shown: it needs a known format and rule, and 16 or 32 finite elements. Run the cell again.","common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","code.form":"{text} is not a code; write it in hex, such as '0x{zeros}'","code.range":"{text} is not a {format} code: it has {bits} bits, so codes end at {last}","format.choice":"{field} must be one of {accepted}; {came} came","format.empty":"no code is left for a finite number other than zero; give the format more bits or fewer special values","format.ieee_pair":"an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither","format.ieee_width":"IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit","format.integer":"{field} must be a whole number from {low} to {high}; {came} came","format.name":"a format needs a name of 1 to {limit} characters","format.nan_place":"NaN can take the code of −0 only in a signed format that has a zero","format.no_nan":"{format} has no NaN; give a number, or choose a format that has one","format.no_sign":"{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate","format.no_zero":"{format} has no zero and no NaN to say so; give a positive number, or let it saturate","parse.binary":"{text} is not a number: after 0b only the digits 0 and 1 may stand","parse.digits":"{text} is not a number: write it in plain digits, {candidate}","parse.exponent":"the exponent of {text} is beyond ±{limit}; write inf or 0 instead","parse.form":"{text} is not a number: write a decimal (0.1, 1e-8), a hex float (0x1p-3), a bit pattern (0x7C00, 0b1), inf or nan","parse.hex_exponent":"{text} is not a number: a hex float ends in its exponent, such as 0x1.8p0","parse.payload":"{text} is not a number: for a NaN with a payload write its code, such as 0x7E01","parse.point":"{text} is not a number: write it with a decimal point, {candidate}","parse.separators":"{text} is not a number: write it without separators, {candidate}","parse.signed_pattern":"{text} is not a number: a bit pattern has no sign; write all its bits, or a hex float with a p, such as -0x1p3","parse.too_long":"a value may have {limit} characters, not {length}"};

// js/ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill2(en_default[key], args);
}
function pieces(key, args = {}) {
  return marked(en_default[key], args);
}
function marked(text, args = {}) {
  return text.split("*").map((template, i) => ({ text: fill2(template, args), strong: i % 2 === 1 }));
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

// js/ui/pixels.ts
function zoomOf(element) {
  const { width } = element.getBoundingClientRect();
  return (width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1) * untoldZoom(element);
}
function untoldZoom(element) {
  let zoom = 1;
  if (element.currentCSSZoom !== void 0) return zoom;
  for (let one = element; one; one = one.parentElement) zoom *= Number(getComputedStyle(one).zoom) || 1;
  return zoom;
}

// js/ui/digits.ts
function withMinus(text) {
  return text.replaceAll("-", "−");
}
function superscript(n) {
  return [...String(n)].map((c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]).join("");
}

// mixwidgets/widgets/block_lab/words.ts
function number(x, digits = 4) {
  return withMinus(String(Number(x.toPrecision(digits))));
}
function percent(share) {
  if (share === 0) return "0 %";
  if (share < 5e-4) return "<0.1 %";
  return share < 0.1 ? `${(100 * share).toFixed(1)} %` : `${Math.round(100 * share)} %`;
}
function scaleText({ tensorScale }, { unit }) {
  return tensorScale === null ? `2${superscript(Math.round(Math.log2(unit)))}` : number(unit);
}
function hex(code, bits) {
  return "0x" + code.toString(16).toUpperCase().padStart(Math.ceil(bits / 4), "0");
}
function sentences(found, index) {
  const block = found.blocks[index];
  const scale = scaleText(found, block);
  const named = found.blocks.length > 1;
  const args = { block: index + 1, scale };
  if (block.setter === null) return pieces(named ? "blocks.zeros_block" : "blocks.zeros", args);
  const others = found.elements.slice(block.start, block.start + block.size).filter(({ kind: kind2 }, i) => kind2 !== "zero" && block.start + i !== block.setter);
  const count = others.filter(({ kind: kind2 }) => kind2 === "lost").length;
  const counted = { others: others.length, count };
  const lost = others.length === 0 ? t("blocks.alone") : count === 0 ? t("blocks.none_lost", counted) : count === 1 ? t("blocks.one_lost", counted) : t("blocks.some_lost", counted);
  const said = pieces(named ? "blocks.sets_block" : "blocks.sets", { ...args, element: block.setter, lost });
  const { kind, value, result } = found.elements[block.setter];
  if (kind !== "clipped") return said;
  const clipped = t("blocks.clipped", {
    element: block.setter,
    largest: number(found.largest),
    value: number(value),
    result: number(result)
  });
  return [...said, { text: ` ${clipped}`, strong: false }];
}
function ruleNote(format, rule, largest2, most) {
  if (!format.tensorScale) return t(`blocks.rule_${rule}`);
  return t("blocks.own_rule", { format: format.name, largest: number(largest2), scale: format.scale.name, most: number(most) });
}

// mixwidgets/widgets/block_lab/bars.ts
var STEP = 0.02;
var LEAP = 0.1;
function bars({ choose, change, commit }) {
  const element = h("div", { class: "mw-bars", role: "group", "aria-label": t("blocks.plot") });
  let drawn = [];
  let axis;
  function layout(found, newAxis, count) {
    axis = newAxis;
    drawn = found.elements.map((_, index) => bar(index));
    const rows = [];
    for (let start = 0; start < drawn.length; start += count) {
      const row = drawn.slice(start, start + count);
      const groups = split(found.blocks, start, row.length).map(([from, to]) => h("div", { class: "mw-bar-block" }, ...drawn.slice(from, to).map(({ root }) => root)));
      groups.forEach((group, i) => {
        const [from, to] = split(found.blocks, start, row.length)[i];
        group.style.setProperty("flex-grow", String(to - from));
      });
      rows.push(h("div", { class: "mw-bar-row" }, lines(axis), h("div", { class: "mw-bar-blocks" }, ...groups)));
    }
    element.replaceChildren(...rows);
  }
  function bar(index) {
    const truth = h("div", { class: "mw-bar-true" });
    const stored = h("div", { class: "mw-bar-stored" });
    const plot = h("div", { class: "mw-bar-plot" }, stored, truth);
    const label = h("div", { class: "mw-bar-index" });
    const loss = h("div", { class: "mw-bar-loss" });
    const root = h("div", {
      class: "mw-bar",
      role: "slider",
      "aria-orientation": "vertical",
      "aria-label": t("blocks.element", { element: index }),
      "aria-valuemin": -axis.limit,
      "aria-valuemax": axis.limit
    }, plot, label, h("div", { class: "mw-bar-strip" }, loss));
    let place = 0.5;
    const moveTo = (next) => change(index, axis.value(next));
    root.addEventListener("focus", () => choose(index));
    root.addEventListener("pointerdown", (down) => {
      if (down.button !== 0) return;
      down.preventDefault();
      root.focus();
      root.setPointerCapture(down.pointerId);
      const [from, height] = [place, plot.clientHeight * zoomOf(plot)];
      const move = (event) => moveTo(from - (event.clientY - down.clientY) / height);
      const stop = () => {
        root.removeEventListener("pointermove", move);
        root.removeEventListener("lostpointercapture", stop);
        commit();
      };
      root.addEventListener("pointermove", move);
      root.addEventListener("lostpointercapture", stop);
    });
    root.addEventListener("keydown", (event) => {
      const act = {
        ArrowUp: () => moveTo(place + STEP),
        ArrowDown: () => moveTo(place - STEP),
        PageUp: () => moveTo(place + LEAP),
        PageDown: () => moveTo(place - LEAP),
        Home: () => moveTo(0),
        End: () => moveTo(1),
        ArrowLeft: () => drawn[index - 1]?.root.focus(),
        ArrowRight: () => drawn[index + 1]?.root.focus()
      }[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
    root.addEventListener("keyup", commit);
    root.addEventListener("blur", commit);
    function draw2(one, isActive, isSetter) {
      place = axis.place(one.value);
      const other = axis.place(one.result);
      stretch(truth, place);
      stretch(stored, one.kind === "lost" ? place : other);
      set(stored, { class: `mw-bar-stored mw-bar-${one.kind}` });
      setText(label, isSetter ? t("blocks.sets_mark") : String(index));
      loss.style.setProperty("height", `${Math.min(one.relative, 1) * 100}%`);
      set(root, {
        tabindex: isActive ? 0 : -1,
        class: `mw-bar${isActive ? " mw-bar-active" : ""}${isSetter ? " mw-bar-setter" : ""}`,
        "aria-valuenow": one.value,
        "aria-valuetext": t("blocks.now", { value: number(one.value), result: number(one.result), error: number(one.error) })
      });
    }
    return { root, plot, draw: draw2 };
  }
  function draw(found, active) {
    const setters = new Set(found.blocks.map(({ setter }) => setter));
    drawn.forEach((one, index) => one.draw(found.elements[index], index === active, setters.has(index)));
  }
  return { element, layout, draw };
}
function split(blocks, start, count) {
  return blocks.map(({ start: first, size }) => [Math.max(first, start), Math.min(first + size, start + count)]).filter(([from, to]) => from < to);
}
function stretch(box, place) {
  box.style.setProperty("bottom", `${100 * Math.min(place, 0.5)}%`);
  box.style.setProperty("height", `${100 * Math.abs(place - 0.5)}%`);
}
function lines({ ticks, place }) {
  const marks = ticks.map((tick) => {
    const line = h("div", { class: tick === 0 ? "mw-bar-line mw-bar-zero" : "mw-bar-line" }, h("span", {}, number(tick, 2)));
    line.style.setProperty("bottom", `${100 * place(tick)}%`);
    return line;
  });
  return h("div", { class: "mw-bar-lines", "aria-hidden": "true" }, ...marks);
}

// mixwidgets/widgets/block_lab/geometry.ts
var BINADES_ABOVE = 7;
var COLUMN = 24;
var PER_ROW = [32, 16, 8];
function axisFor(values) {
  const sizes = Array.from(values, Math.abs).filter((size) => size > 0).sort((a, b) => a - b);
  const typical = binade(sizes[sizes.length >> 1] ?? 1);
  const limit = Math.min(Math.max(typical * 2 ** BINADES_ABOVE, binade(sizes.at(-1) ?? 1) * 4), 2 ** 127);
  const linear = typical / 4;
  const reach = Math.log1p(limit / linear);
  const positive = [typical, typical * 8, typical * 64].filter((tick) => tick < limit);
  return {
    limit,
    place: (value) => between(0.5 + 0.5 * Math.sign(value) * Math.log1p(Math.abs(value) / linear) / reach),
    value: (place) => {
      const from = 2 * between(place) - 1;
      return Math.fround(Number((Math.sign(from) * linear * Math.expm1(Math.abs(from) * reach)).toPrecision(3)));
    },
    ticks: [...positive.map((tick) => -tick).reverse(), 0, ...positive]
  };
}
function between(place) {
  return Math.min(Math.max(place, 0), 1);
}
function binade(size) {
  return 2 ** Math.max(Math.floor(Math.log2(size)), -126);
}
function perRow(width) {
  return PER_ROW.find((count) => width >= count * COLUMN) ?? PER_ROW.at(-1);
}

// js/core/blocks/numbers.ts
var view = new DataView(new ArrayBuffer(8));
function magnitudeOf2(x) {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0) & 0x7fffffffffffffffn;
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const significand = exponent ? fraction | 1n << 52n : fraction;
  return multiply(rational(significand), power(2n, Math.max(exponent, 1) - 1075));
}
function toDouble({ numerator, denominator }) {
  const shared = trailingZeros(denominator) < trailingZeros(numerator) ? denominator : numerator & -numerator;
  return numerator === 0n ? 0 : Number(numerator / shared) / Number(denominator / shared);
}
function trailingZeros(n) {
  return n === 0n ? 0 : (n & -n).toString(2).length - 1;
}

// js/core/blocks/quantize.ts
var ZERO = rational(0n);
var ONE = rational(1n);
function quantize(fmt, values, rule) {
  const row = Array.from(values);
  const blocks = Array.from({ length: Math.ceil(row.length / fmt.blockSize) }, (_, block) => row.slice(block * fmt.blockSize, (block + 1) * fmt.blockSize));
  const amaxes = blocks.map((block) => block.every(Number.isFinite) ? largest(block.map(magnitudeOf2)) : null);
  const tensorScale = fmt.tensorScale ? wholeScale(fmt, fmt.tensorScale, amaxes) : ONE;
  const result = {
    scaleCodes: [],
    scales: [],
    codes: [],
    dequantized: [],
    tensorScale: fmt.tensorScale ? toDouble(tensorScale) : null
  };
  blocks.forEach((block, index) => {
    const amax = amaxes[index];
    if (amax === null) {
      result.scaleCodes.push(Number(fmt.scale.nanCode));
      result.scales.push(Number.NaN);
      block.forEach(() => {
        result.codes.push(0);
        result.dequantized.push(Number.NaN);
      });
      return;
    }
    const scale = fmt.tensorScale ? quotientScale(fmt, amax, tensorScale) : powerScale(fmt, amax, rule);
    const unit = multiply(scale.value, tensorScale);
    result.scaleCodes.push(scale.code);
    result.scales.push(toDouble(scale.value));
    for (const x of block) {
      const negative = x < 0 || Object.is(x, -0);
      const code = fmt.element.encode(negative, divide(magnitudeOf2(x), unit));
      result.codes.push(code);
      result.dequantized.push(toDouble(multiply(fmt.element.decode(code), unit)));
    }
  });
  return result;
}
function largest(magnitudes) {
  return magnitudes.reduce((most, one) => compare(one, most) > 0 ? one : most, ZERO);
}
function powerScale(fmt, amax, rule) {
  const { emin, emax } = fmt.scale;
  const wanted = amax.numerator === 0n ? emin : scaleExponent(amax, fmt.element, rule);
  return rounded(fmt.scale, power(2n, Math.min(Math.max(wanted, emin), emax)));
}
function quotientScale(fmt, amax, tensorScale) {
  return rounded(fmt.scale, divide(amax, multiply(fmt.element.max, tensorScale)));
}
function wholeScale(fmt, format, amaxes) {
  const amax = largest(amaxes.filter((one) => one !== null));
  const full = multiply(fmt.scale.magnitude(fmt.scale.maxCode), fmt.element.max);
  return rounded(format, divide(amax, full)).value;
}
function rounded(format, magnitude) {
  const code = encode(format, { kind: "finite", negative: false, magnitude }, { overflow: "saturate" });
  const positive = code === 0n && format.hasZero ? 1n : code;
  return { code: Number(positive), value: exact(format, positive) };
}

// mixwidgets/widgets/block_lab/outcome.ts
function outcome({ format, rule, values }) {
  const found = quantize(format, values, rule);
  const clips = toDouble(format.element.overflowThreshold);
  const blocks = found.scales.map((scale, index) => blockAt(index, format.blockSize, values, found, scale));
  const elements = Array.from(values, (value, index) => {
    const result = found.dequantized[index];
    const error = result - value;
    const limit = clips * blocks[Math.floor(index / format.blockSize)].unit;
    const kind = value === 0 ? "zero" : result === 0 ? "lost" : Math.abs(value) > limit ? "clipped" : "rounded";
    return { value, result, code: found.codes[index], kind, error, relative: value === 0 ? 0 : Math.abs(error / value) };
  });
  const size = Math.hypot(...values);
  return {
    elements,
    blocks,
    tensorScale: found.tensorScale,
    relative: size === 0 ? 0 : Math.hypot(...elements.map(({ error }) => error)) / size,
    lost: elements.filter(({ kind }) => kind === "lost").length,
    largest: toDouble(format.element.max)
  };
}
function blockAt(index, size, values, found, scale) {
  const start = index * size;
  const sizes = Array.from(values.subarray(start, start + size), Math.abs);
  const most = Math.max(...sizes);
  return {
    start,
    size: sizes.length,
    setter: most === 0 ? null : start + sizes.indexOf(most),
    scale,
    scaleCode: found.scaleCodes[index],
    unit: scale * (found.tensorScale ?? 1)
  };
}

// mixwidgets/widgets/block_lab/readout.ts
function readout() {
  const box = (name) => {
    const figure = h("div", { class: "mw-figure" });
    const label = h("div", {}, t(name));
    const detail = h("div", { class: "mw-num mw-muted mw-lab-detail" });
    return { figure, label, detail, root: h("div", {}, figure, label, detail) };
  };
  const lost = box("blocks.lost");
  const error = box("blocks.error");
  const scale = box("blocks.scale");
  const bits = box("blocks.bits");
  setText(error.detail, t("blocks.error_how"));
  const figures = h("div", { class: "mw-lab-figures" }, lost.root, error.root, scale.root, bits.root);
  const callout = h("div", { class: "mw-callout mw-lab-said" });
  const rule = h("p", { class: "mw-note" });
  const rows = h("tbody");
  const columns = ["element", "value", "result", "code", "error", "relative"].map((name) => h("th", { scope: "col" }, t(`blocks.column_${name}`)));
  const table = h(
    "details",
    { class: "mw-lab-table" },
    h("summary", {}, t("blocks.all")),
    h("table", {}, h("thead", {}, h("tr", {}, ...columns)), rows)
  );
  let list = () => {
  };
  table.addEventListener("toggle", () => list());
  function draw(lab, found, active) {
    const { format } = lab;
    const index = Math.floor(active / format.blockSize);
    const block = found.blocks[index];
    setText(lost.figure, t("blocks.lost_of", { count: found.lost, all: found.elements.length }));
    setText(error.figure, percent(found.relative));
    setText(scale.figure, scaleText(found, block));
    setText(scale.label, found.blocks.length > 1 ? t("blocks.scale_of", { block: index + 1 }) : t("blocks.scale"));
    const code = hex(block.scaleCode, format.scale.bits);
    const args = { value: number(block.scale), format: format.scale.name, code };
    setText(scale.detail, found.tensorScale === null ? t("blocks.scale_code", args) : t("blocks.scale_code_tensor", { ...args, tensor: number(found.tensorScale) }));
    setText(bits.figure, String(format.bitsPerElement));
    setText(bits.detail, t("blocks.bits_how", { element: format.element.bits, scale: format.scale.bits, size: format.blockSize }));
    callout.replaceChildren(...found.blocks.map((_, i) => h("p", {}, ...sentences(found, i).map(({ text, strong }) => strong ? h("strong", {}, text) : text))));
    const most = toDouble(format.scale.magnitude(format.scale.maxCode));
    setText(rule, ruleNote(format, lab.rule, found.largest, most));
    list = () => {
      if (!table.open) return;
      rows.replaceChildren(...found.elements.map((one, i) => h(
        "tr",
        {},
        h("th", { scope: "row" }, String(i)),
        ...[number(one.value, 7), number(one.result, 7), hex(one.code, format.element.bits), number(one.error), percent(one.relative)].map((text) => h("td", {}, text))
      )));
    };
    list();
  }
  return { figures, callout, rule, table, draw, words: () => callout.textContent ?? "" };
}
function chosen(type, reset) {
  const errorId = uniqueId("error");
  const field = h("input", { type: "text", id: uniqueId("value"), inputmode: "decimal", spellcheck: "false", "aria-describedby": errorId });
  const label = h("label", { for: field.id, class: "mw-muted" });
  const result = h("span", { class: "mw-lab-result" });
  const back = h("button", { type: "button" }, t("blocks.reset"));
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const element = h(
    "div",
    { class: "mw-stack-tight" },
    h("div", { class: "mw-row" }, label, field, result, back),
    error
  );
  let shown2 = 0;
  back.addEventListener("click", reset);
  field.addEventListener("change", () => {
    const text = field.value.trim().replaceAll("−", "-");
    const value = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i.test(text) ? Math.fround(Number(text)) : Number.NaN;
    if (Number.isFinite(value)) return type(value);
    setText(error, t("blocks.bad_value", { came: text || t("blocks.nothing"), kept: number(shown2, 7) }));
    set(field, { "aria-invalid": "true" });
  });
  function draw({ format }, found, active) {
    const one = found.elements[active];
    shown2 = one.value;
    setText(label, t("blocks.value_of", { element: active }));
    setText(error, "");
    set(field, { "aria-invalid": void 0 });
    field.value = number(one.value, 7);
    const words = pieces("blocks.becomes", {
      result: number(one.result, 7),
      element: format.element.name,
      code: hex(one.code, format.element.bits),
      error: number(one.error),
      relative: percent(one.relative)
    });
    result.replaceChildren(...words.map(({ text, strong }) => strong ? h("strong", {}, text) : text));
  }
  return { element, draw };
}

// mixwidgets/widgets/block_lab/state.ts
function readLab({ format, scale_rule, _codes }) {
  const known2 = getBlockFormat(format);
  const rule = SCALE_RULES.find((one) => one === scale_rule);
  if (!known2 || !rule || !/^(?:[0-9a-f]{128}){1,2}$/i.test(_codes)) return null;
  const values = Float32Array.from({ length: _codes.length / 8 }, (_, i) => decoded(_codes.slice(8 * i, 8 * i + 8)));
  return values.every(Number.isFinite) ? { format: known2, rule, values } : null;
}
function codesOf(values) {
  const view2 = new DataView(new ArrayBuffer(4));
  return Array.from(values, (x) => {
    view2.setFloat32(0, x);
    return view2.getUint32(0).toString(16).padStart(8, "0");
  }).join("");
}
function decoded(code) {
  const view2 = new DataView(new ArrayBuffer(4));
  view2.setUint32(0, Number.parseInt(code, 16));
  return view2.getFloat32(0);
}

// mixwidgets/widgets/block_lab/page.ts
var GUTTER = 44;
function render({ model, el }) {
  const { root, head } = card(el, t("blocks.title"));
  const formats2 = chips(t("blocks.formats"), blockFormats.map(({ name }) => name), (name) => send({ format: name }));
  const rules = chips(t("blocks.rules"), SCALE_RULES, (rule) => send({ scale_rule: rule }));
  head.append(formats2.element);
  const told = readout();
  const plot = bars({ choose, change, commit });
  const one = chosen((value) => {
    change(active, value);
    commit();
  }, reset);
  const legend = h(
    "div",
    { class: "mw-row mw-lab-legend" },
    ...["true", "kind_rounded", "kind_lost", "kind_clipped"].map((kind) => h("span", { class: "mw-row" }, h("span", { class: `mw-lab-swatch mw-lab-${kind}`, "aria-hidden": "true" }), t(`blocks.${kind}`))),
    h("span", { class: "mw-row" }, h("span", { class: "mw-lab-swatch mw-lab-strip", "aria-hidden": "true" }), t("blocks.strip"))
  );
  const error = h("p", { class: "mw-error", role: "alert" });
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const ruling = h(
    "div",
    { class: "mw-stack-tight" },
    h("div", { class: "mw-row" }, h("span", { class: "mw-muted", "aria-hidden": "true" }, t("blocks.rules")), rules.element),
    told.rule
  );
  const body = h(
    "div",
    { class: "mw-stack" },
    told.figures,
    told.callout,
    h("div", { class: "mw-stack-tight" }, legend, plot.element, h("p", { class: "mw-note" }, t("blocks.keys"))),
    one.element,
    ruling,
    told.table
  );
  root.append(error, body, spoken);
  let lab;
  let start = new Float32Array();
  let axis;
  let active = 0;
  let rowLength = 0;
  function traits() {
    return { format: model.get("format"), scale_rule: model.get("scale_rule"), _codes: model.get("_codes") };
  }
  function send(changes) {
    const news = Object.entries(changes).filter(([name, value]) => model.get(name) !== value);
    if (news.length === 0) return;
    for (const [name, value] of news) model.set(name, value);
    model.save_changes();
  }
  function take() {
    const found = readLab(traits());
    if (found && lab && codesOf(lab.values) === codesOf(found.values)) return setText(error, "");
    if (found) {
      start = found.values;
      axis = axisFor(start);
      active = start.reduce((most, x, i) => Math.abs(x) > Math.abs(start[most]) ? i : most, 0);
    }
    follow();
  }
  function follow() {
    const found = readLab(traits());
    setText(error, found ? "" : t("blocks.unreadable"));
    if (!found) return;
    lab = found;
    formats2.show(lab.format.name);
    rules.show(lab.rule);
    set(rules.element, { disabled: lab.format.tensorScale !== null });
    layout();
    setText(spoken, told.words());
  }
  function layout() {
    rowLength = perRow(plot.element.clientWidth - GUTTER);
    plot.layout(outcome(lab), axis, rowLength);
    draw();
  }
  function draw() {
    const found = outcome(lab);
    plot.draw(found, active);
    told.draw(lab, found, active);
    one.draw(lab, found, active);
  }
  function choose(index) {
    if (index === active) return;
    active = index;
    draw();
  }
  function change(index, value) {
    active = index;
    lab = { ...lab, values: lab.values.with(index, value) };
    draw();
  }
  function commit() {
    if (!lab || codesOf(lab.values) === model.get("_codes")) return;
    send({ _codes: codesOf(lab.values) });
    setText(spoken, told.words());
  }
  function reset() {
    lab = { ...lab, values: start };
    draw();
    commit();
  }
  const subscriptions = { "change:format": follow, "change:scale_rule": follow, "change:_codes": take };
  for (const [name, handler] of Object.entries(subscriptions)) model.on(name, handler);
  const observer = new ResizeObserver(() => {
    if (lab && perRow(plot.element.clientWidth - GUTTER) !== rowLength) layout();
  });
  observer.observe(plot.element);
  take();
  return () => {
    for (const [name, handler] of Object.entries(subscriptions)) model.off(name, handler);
    observer.disconnect();
    root.remove();
  };
}
function accept(wanted) {
  return readLab(wanted) && { ...wanted, _codes: wanted._codes.toLowerCase() };
}
var page_default = { render, accept };
export {
  page_default as default
};
