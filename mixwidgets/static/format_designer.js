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
function shown(text) {
  const characters = [...text];
  const short = characters.length <= 40 ? characters : [...characters.slice(0, 39), "…"];
  const spelled = short.map(
    (c) => c !== " " && /[\p{C}\p{Z}]/u.test(c) ? "\\u" + c.codePointAt(0)?.toString(16).padStart(4, "0") : c
  );
  return `'${spelled.join("")}'`;
}

// js/core/formats/float_format.ts
var INFINITIES = ["ieee", "top", "none"];
var NANS = ["ieee", "top", "negative_zero", "none"];
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

// js/messages/en.json
var en_default = /* messages */ {"bits.title":"Bit editor","bits.grid":"Bits, sign to fraction","bits.sign":"sign","bits.exponent":"exponent","bits.fraction":"fraction","bits.on":"on","bits.off":"off","bits.sign_bit":"sign bit, {state}","bits.exponent_bit":"exponent bit {number} of {width}, weight {weight}, {state}","bits.fraction_bit":"fraction bit {number} of {width}, weight {weight}, {state}","bits.exponent_number":"biased exponent","bits.fraction_number":"fraction as an integer","bits.field_range":"{came} does not fit: this field holds whole numbers from 0 to {last}","bits.all_ones":"all ones","bits.reserved":"reserved","bits.readouts":"Notations, neighbours and gaps","bits.integer_form":"m × 2^e","bits.binary_code":"binary code","bits.value_below":"value below","bits.value_above":"value above","bits.with_gap":"{value}, {gap} away","bits.error":"error","bits.no_input":"none: nothing was rounded","bits.no_error":"exact","bits.both_errors":"{error}, relative {relative}","bits.everywhere":"The same value in every format","bits.column_format":"format","bits.column_code":"code","bits.column_value":"value","bits.column_error":"error","bits.column_relative":"relative error","bits.elements":"Elements of the tensor","bits.element":"element","bits.elements_all":"of {count} in {format}","bits.elements_first":"of the first {count} in {format}; the tensor has {total}","bits.previous_element":"previous element","bits.next_element":"next element","bits.find":"next","bits.find_next":"next {kind}","bits.find_subnormal":"subnormal","bits.find_infinity":"infinity","bits.find_nan":"NaN","bits.none_of_class":"no {kind} here","bits.rounding":"rounding","bits.overflow_policy":"overflow","bits.formula_ones":"exponent all ones","bits.formula_and":"and fraction","bits.class_zero":"zero","bits.class_subnormal":"subnormal","bits.class_normal":"normal","bits.class_infinity":"infinity","bits.class_nan":"NaN, not a number","bits.quiet":"quiet","bits.signaling":"signaling","bits.largest":"largest finite {format}","bits.lowest":"lowest finite {format}","bits.smallest_normal":"smallest normal {format}","bits.largest_subnormal":"largest subnormal {format}","bits.smallest_subnormal":"smallest subnormal {format}","bits.negative_zero":"negative zero","bits.ulp":"ulp {ulp}","bits.exactly":"exactly","bits.all_digits":"All digits","bits.digits":"all {count} significant digits","bits.step_down":"− ulp","bits.step_up":"+ ulp","bits.undo":"undo","bits.redo":"redo","bits.reset":"reset","bits.presets":"presets","bits.third":"1/3, to 25 digits","bits.copy":"copy","bits.copy_shortest":"shortest","bits.copy_exact":"exact","bits.copy_code":"code","bits.copy_hex_float":"hex float","bits.copy_numpy":"NumPy","bits.copy_torch":"torch","bits.copy_c":"C","bits.copied":"copied as {label}","bits.selected":"No clipboard here: the text is selected, press Ctrl+C or ⌘C.","bits.keys":"keys: ← → move · space flips · ↑ ↓ one ulp · Ctrl+Z undo · drag to paint","bits.midpoint":"midpoint {midpoint}","bits.line":"Number line: {marks}","bits.line_nan":"NaN has no place on the number line","bits.is_value":"*{value} is what these bits say*, exactly. Its neighbours in {format} are {previous} and {next}.","bits.is_infinity":"*These bits are {value}*: the exponent bits are all ones and the fraction is 0. Rounding gets here from *{midpoint}* on.","bits.is_nan":"*These bits are NaN*: the exponent bits are all ones and the fraction is not 0. The fraction’s first bit says quiet, the others may carry anything.","bits.exact":"*{typed} is a {format}*: nothing is rounded. Its neighbours are {previous} and {next}.","bits.nearest":"*{typed} is not a {format}.* It lies between {below} and {above}, nearer to *{value}* (error {error}).","bits.nearest_edge_tie":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins just past *{midpoint}*, the midpoint.","bits.nearest_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins at *{midpoint}*, the midpoint.","bits.tie":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: *{value}* (error {error}).","bits.tie_zero":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: it underflows to *zero* (error {error}).","bits.underflow":"*{typed} is not a {format}.* It lies between {below} and {above}, and nearer to 0: it underflows to *zero* (error {error}). Half of the smallest subnormal is {midpoint}.","bits.overflow":"*{typed} overflows to {infinity}.* The largest finite {format} on this side is {inner}; the next step would be {outer}. From *{midpoint}*, the midpoint, rounding to nearest gives infinity.","bits.overflow_tie":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. A tie goes to the even neighbour, and that is the step: overflow begins here.","bits.would_be_infinity":"which would be infinity","bits.would_be_nan":"whose code is NaN’s","bits.would_be_outside":"which has no code","bits.nothing_below":"nothing below","bits.nothing_above":"nothing above","bits.tie_away":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. With {rounding} a tie goes to the neighbour farther from zero: *{value}* (error {error}).","bits.direction":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}, so that the nearer does not matter: *{value}* (error {error}).","bits.direction_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. Rounding is {rounding}: *{value}* (error {error}).","bits.odd":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}: it takes the neighbour whose code is odd, *{value}* (error {error}).","bits.overflow_tie_away":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. With {rounding} a tie goes away from zero: overflow begins here.","bits.overflow_nan":"*{typed} overflows to NaN*: {format} has no infinity. Its largest number on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_stays":"*{typed} is out of range and becomes {value}.* The largest {format} on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_directed":"*{typed} overflows to {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, which leads past it, and the overflow policy is {policy}.","bits.overflow_inward":"*{typed} is out of range and becomes {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, and the overflow policy {policy}: neither leads past it.","bits.no_infinity":"*{typed} becomes {value}*: {format} has no infinity, and the overflow policy is {policy}.","bits.saturated":"*{typed} becomes {value}*: the overflow policy, {policy}, stops at the largest finite {format}.","bits.no_zero":"*{typed} becomes {value}*: {format} has no zero; its smallest number is {smallest}. The overflow policy is {policy}.","bits.no_negative":"*{typed} becomes {value}*: {format} has no negative numbers. The overflow policy is {policy}.","bits.too_small":"*{typed} becomes {value}*: {format} has nothing below {smallest}, not even zero.","bits.typed_infinity_code":"*{value} needs no rounding*: {format} keeps the code {code} for it.","bits.typed_nan_code":"*NaN needs no rounding*: {format} keeps the code {code} for it.","bits.is_infinity_code":"*These bits are {value}*: {format} keeps the code {code} for it. Rounding to nearest gets here from about *{midpoint}* on.","bits.is_nan_code":"*These bits are NaN*: {format} keeps the code {code} for it.","bits.pattern":"*{typed} is a bit pattern*: it is taken as the code itself, and nothing is rounded. In {format} these bits are {value}.","bits.typed_infinity":"*{value} needs no rounding*: {format} has a code for it, with exponent bits all ones and the fraction 0.","bits.typed_nan":"*NaN needs no rounding*: {format} has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, {code}.","designer.title":"Format designer","designer.exponent_bits":"exponent bits","designer.fraction_bits":"fraction bits","designer.bias":"bias","designer.usual":"as IEEE 754","designer.infinity":"infinity","designer.infinity_ieee":"IEEE: exponent all ones, fraction 0","designer.infinity_top":"the largest code below NaN","designer.infinity_none":"none","designer.nan":"NaN","designer.nan_ieee":"IEEE: exponent all ones, fraction not 0","designer.nan_top":"all ones","designer.nan_negative_zero":"in the place of −0","designer.nan_none":"none","designer.signed":"sign bit","designer.has_zero":"zero and subnormals","designer.start":"start from a known format","designer.start_from":"start from …","designer.is_known":"*This is {name}* ({citation}).","designer.is_experimental":"*This is {name}* ({citation}), which may still change.","designer.also":" It is *{name}* too.","designer.new":"*A new format*: neither in the catalogue nor one of P3109.","designer.relatives":" The same widths, but other choices: {names}.","designer.bits":"bits","designer.bits_text":"{bits} = {sign} + {exponent} + {fraction}","designer.precision":"precision p","designer.exponents":"exponents of normal numbers","designer.max":"largest finite","designer.smallest_normal":"smallest normal","designer.smallest_subnormal":"smallest subnormal","designer.eps":"eps","designer.unit_roundoff":"unit roundoff","designer.threshold":"rounding to nearest overflows","designer.finite":"finite values","designer.infinity_code":"infinity","designer.nan_code":"NaN","designer.negative_zero":"−0","designer.none":"none","designer.map":"All codes, in order","designer.cell":"{code}, {kind}, {value}","designer.detail":"{code} = {bits} · {kind} · {value}","designer.letter_zero":"Z","designer.letter_subnormal":"S","designer.letter_normal":"N","designer.letter_infinity":"∞","designer.letter_nan":"×","designer.class_zero":"zero","designer.class_subnormal":"subnormal","designer.class_normal":"normal","designer.class_infinity":"infinity","designer.class_nan":"NaN","designer.class_count":"{kind}: {count} ({share})","designer.tiny":"< 0.1 %","designer.too_wide":"{codes} codes of {bits} bits are too many to draw; up to 8 bits each code has its cell.","common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","code.form":"{text} is not a code; write it in hex, such as '0x{zeros}'","code.range":"{text} is not a {format} code: it has {bits} bits, so codes end at {last}","format.choice":"{field} must be one of {accepted}; {came} came","format.empty":"no code is left for a finite number other than zero; give the format more bits or fewer special values","format.ieee_pair":"an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither","format.ieee_width":"IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit","format.integer":"{field} must be a whole number from {low} to {high}; {came} came","format.name":"a format needs a name of 1 to {limit} characters","format.nan_place":"NaN can take the code of −0 only in a signed format that has a zero","format.no_nan":"{format} has no NaN; give a number, or choose a format that has one","format.no_sign":"{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate","format.no_zero":"{format} has no zero and no NaN to say so; give a positive number, or let it saturate"};

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

// js/core/formats/custom.ts
var LIMITS = {
  exponentBits: { low: 1, high: 11 },
  fractionBits: { low: 0, high: 52 },
  bias: { low: -4096, high: 4096 }
};
var MAX_NAME = 40;
function customFormat(definition) {
  const { name, exponentBits, fractionBits } = definition;
  checkInteger("exponentBits", exponentBits);
  checkInteger("fractionBits", fractionBits);
  const whole = {
    bias: 2 ** (exponentBits - 1) - 1,
    signed: true,
    infinity: "ieee",
    nan: "ieee",
    hasZero: true,
    ...definition
  };
  checkInteger("bias", whole.bias);
  checkChoice("infinity", whole.infinity, INFINITIES);
  checkChoice("nan", whole.nan, NANS);
  if (typeof name !== "string" || name === "" || [...name].length > MAX_NAME) {
    throw new InputError("format.name", { limit: String(MAX_NAME) });
  }
  if (whole.infinity === "ieee" !== (whole.nan === "ieee")) throw new InputError("format.ieee_pair", {});
  if (whole.nan === "ieee" && (exponentBits < 2 || fractionBits < 1)) throw new InputError("format.ieee_width", {});
  if (whole.nan === "negative_zero" && !(whole.signed && whole.hasZero)) throw new InputError("format.nan_place", {});
  const specials = BigInt(whole.nan === "top") + BigInt(whole.infinity === "top");
  if ((1n << BigInt(exponentBits + fractionBits)) - specials < 2n) throw new InputError("format.empty", {});
  return new FloatFormat(whole);
}
function checkInteger(field, came) {
  const { low, high } = LIMITS[field];
  if (Number.isInteger(came) && came >= low && came <= high) return;
  throw new InputError("format.integer", { field, low: String(low), high: String(high), came: String(came) });
}
function checkChoice(field, came, accepted) {
  if (accepted.includes(came)) return;
  throw new InputError("format.choice", { field, accepted: accepted.join(", "), came: String(came) });
}

// js/core/formats/encode.ts
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
function isFinite(fmt, code) {
  return !["nan", "infinity"].includes(classify(fmt, code));
}
function exact(fmt, code) {
  if (!isFinite(fmt, code)) throw new RangeError(`${fmt.toHex(code)} has no rational value in ${fmt.name}`);
  const magnitude = fmt.magnitude(code & fmt.allOnes);
  return isNegative(fmt, code) ? negate(magnitude) : magnitude;
}
function toDecimal(fmt, code) {
  const sign = isNegative(fmt, code) ? "-" : "";
  if (classify(fmt, code) === "nan") return "nan";
  if (classify(fmt, code) === "infinity") return sign + "inf";
  return sign + rationalToDecimal(magnitudeOf(exact(fmt, code)));
}
function rationalToDecimal(value) {
  const places = value.denominator.toString(2).length - 1;
  const digits = String(value.numerator * 5n ** BigInt(places)).padStart(places + 1, "0");
  const part = digits.slice(digits.length - places).replace(/0+$/, "");
  return digits.slice(0, digits.length - places) + (places > 0 && part ? "." + part : "");
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

// js/ui/digits.ts
var SHORT = 22;
function withMinus(text) {
  return text.replaceAll("-", "−");
}
function superscript(n) {
  return [...String(n)].map((c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]).join("");
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
function leading(x, most) {
  const magnitude = magnitudeOf(x);
  const exponent = floorLog10(magnitude) - most + 1;
  const { numerator, denominator } = divide(magnitude, power(10n, exponent));
  const digits = numerator / denominator;
  return { digits, exponent, isExact: digits * denominator === numerator };
}

// mixwidgets/widgets/format_designer/design.ts
var TRAITS = ["exponent_bits", "fraction_bits", "bias", "infinity", "nan", "signed", "has_zero"];
function usualBias(exponentBits) {
  return 2 ** (exponentBits - 1) - 1;
}
function formatOf(design) {
  const { exponent_bits: exponentBits, fraction_bits: fractionBits, has_zero: hasZero, ...rest } = design;
  return customFormat({ name: `custom_e${exponentBits}m${fractionBits}`, exponentBits, fractionBits, hasZero, ...rest });
}
function designOf(fmt) {
  const { exponentBits, fractionBits, bias, infinity, nan, signed, hasZero } = fmt;
  return { exponent_bits: exponentBits, fraction_bits: fractionBits, bias, infinity, nan, signed, has_zero: hasZero };
}
function read(get) {
  const values = Object.fromEntries(TRAITS.map((name) => [name, get(name)]));
  const plain = typeof values.signed === "boolean" && typeof values.has_zero === "boolean";
  const numbers = ["exponent_bits", "fraction_bits", "bias"].every((name) => Number.isInteger(values[name]));
  const choices = INFINITIES.includes(values.infinity) && NANS.includes(values.nan);
  if (!plain || !numbers || !choices) return null;
  const design = values;
  try {
    return { design, fmt: formatOf(design) };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
function same(a, b) {
  return TRAITS.every((name) => a[name] === b[name]);
}
function known2(design) {
  return [...formats, ...p3109Like(design)].filter((fmt) => same(designOf(fmt), design));
}
function relatives(design) {
  return formats.filter((fmt) => fmt.exponentBits === design.exponent_bits && fmt.fractionBits === design.fraction_bits && fmt.signed === design.signed);
}
function p3109Like({ exponent_bits, fraction_bits, signed }) {
  const bits = Number(signed) + exponent_bits + fraction_bits;
  try {
    return [true, false].map((extended) => p3109(bits, fraction_bits + 1, signed, extended));
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}
function biasRange({ exponent_bits, bias }) {
  const usual = usualBias(exponent_bits);
  const reach = 2 ** exponent_bits;
  const { low, high } = LIMITS.bias;
  return { low: Math.max(low, Math.min(usual - reach, bias)), high: Math.min(high, Math.max(usual + reach, bias)) };
}

// mixwidgets/widgets/format_designer/controls.ts
function controls({ draft, commit }) {
  let current;
  const errors = /* @__PURE__ */ new Map();
  const inputs = /* @__PURE__ */ new Map();
  const outputs = /* @__PURE__ */ new Map();
  const place = (name, input, extra) => {
    const error = h("p", { class: "mw-error", id: uniqueId("error"), role: "alert" });
    input.id = uniqueId("design");
    inputs.set(name, input);
    errors.set(name, error);
    input.addEventListener("change", commit);
    const label = h("label", { for: input.id }, t(`designer.${name}`));
    const output = h("output", { for: input.id, class: "mw-num" });
    outputs.set(name, output);
    const isSwitch = input instanceof HTMLInputElement && input.type === "checkbox";
    const row = isSwitch ? [h("div", { class: "mw-row mw-design-switch" }, input, label)] : [h("div", { class: "mw-design-label" }, label, output, extra ?? null), input];
    return h("div", { class: "mw-design-control" }, ...row, error);
  };
  const slider = (name, extra) => {
    const input = h("input", { type: "range", step: 1 });
    input.addEventListener("input", () => {
      const value = input.valueAsNumber;
      const follows = name === "exponent_bits" && current.bias === usualBias(current.exponent_bits);
      draft({ [name]: value, ...follows ? { bias: usualBias(value) } : {} }, name);
    });
    return place(name, input, extra);
  };
  const choice = (name, values) => {
    const select = h("select", {}, ...values.map((value) => h("option", { value }, t(`designer.${name}_${value}`))));
    select.addEventListener("input", () => draft({ [name]: select.value }, name));
    return place(name, select);
  };
  const box = (name) => {
    const input = h("input", { type: "checkbox" });
    input.addEventListener("input", () => draft({ [name]: input.checked }, name));
    return place(name, input);
  };
  const usual = h("button", { type: "button", class: "mw-design-usual" }, t("designer.usual"));
  usual.addEventListener("click", () => {
    draft({ bias: usualBias(current.exponent_bits) }, "bias");
    commit();
  });
  const start = h(
    "select",
    { "aria-label": t("designer.start") },
    h("option", { value: "" }, t("designer.start_from")),
    ...formats.map((fmt) => h("option", { value: fmt.name }, fmt.name))
  );
  start.addEventListener("change", () => {
    const fmt = formats.find(({ name }) => name === start.value);
    if (fmt) draft(designOf(fmt), "exponent_bits");
    start.value = "";
    commit();
  });
  const element = h(
    "div",
    { class: "mw-design-controls" },
    slider("exponent_bits"),
    slider("fraction_bits"),
    slider("bias", usual),
    choice("infinity", INFINITIES),
    choice("nan", NANS),
    h("div", { class: "mw-design-switches" }, box("signed"), box("has_zero")),
    start
  );
  const show2 = (design, at, wrong = "") => {
    current = design;
    for (const name of TRAITS) {
      const input = inputs.get(name);
      const value = design[name];
      if (input instanceof HTMLInputElement && input.type === "range") {
        const { low, high } = name === "bias" ? biasRange(design) : LIMITS[name === "exponent_bits" ? "exponentBits" : "fractionBits"];
        set(input, { min: low, max: high });
      }
      if (input instanceof HTMLInputElement && input.type === "checkbox") input.checked = value === true;
      else if (input.value !== String(value)) input.value = String(value);
      setText(outputs.get(name), input instanceof HTMLInputElement ? withMinus(String(value)) : "");
      const message = name === at ? wrong : "";
      setText(errors.get(name), message);
      set(input, { "aria-invalid": message ? "true" : void 0, "aria-describedby": message ? errors.get(name).id : void 0 });
    }
    usual.disabled = design.bias === usualBias(design.exponent_bits);
  };
  return { element, show: show2 };
}

// mixwidgets/widgets/format_designer/counts.ts
var CLASSES = ["zero", "subnormal", "normal", "infinity", "nan"];
function countsOf(fmt) {
  const signs = fmt.signed ? 2n : 1n;
  const firstNormal = fmt.hasZero ? 1n << BigInt(fmt.fractionBits) : 0n;
  const finite = fmt.maxCode + 1n;
  const below = firstNormal < finite ? firstNormal : finite;
  const zero = fmt.hasZero ? fmt.hasNegativeZero ? 2n : 1n : 0n;
  const subnormal = fmt.hasZero ? signs * (below - 1n) : 0n;
  const normal = signs * (finite - below);
  const infinity = fmt.infCode === null ? 0n : signs;
  return { zero, subnormal, normal, infinity, nan: (1n << BigInt(fmt.bits)) - zero - subnormal - normal - infinity };
}
function finiteValues(fmt) {
  const { zero, subnormal, normal } = countsOf(fmt);
  return subnormal + normal + (zero > 0n ? 1n : 0n);
}

// mixwidgets/widgets/format_designer/map.ts
var MAP_BITS = 8;
var WIDE = 16;
var NARROW = 8;
var CELL_CHARACTERS = 6;
var NARROW_PIXELS = 860;
function codeMap() {
  const grid = h("div", { role: "grid", class: "mw-design-map", "aria-label": t("designer.map") });
  const detail = h("p", { class: "mw-num mw-design-detail" });
  const element = h("div", { class: "mw-stack-tight" }, grid, detail);
  let fmt;
  let cells = [];
  let columns = WIDE;
  let stop = 0;
  const point = (i) => setText(detail, describe(fmt, BigInt(i)));
  const indexOf = (target) => cells.findIndex((cell) => target instanceof Node && cell.contains(target));
  const moveStop = (next) => {
    set(cells[stop] ?? grid, { tabindex: cells[stop] ? -1 : void 0 });
    stop = next;
    set(cells[stop], { tabindex: 0 });
    point(stop);
  };
  grid.addEventListener("focusin", (event) => {
    const i = indexOf(event.target);
    if (i >= 0) moveStop(i);
  });
  grid.addEventListener("pointerover", (event) => {
    const i = indexOf(event.target);
    if (i >= 0) point(i);
  });
  grid.addEventListener("pointerleave", () => point(stop));
  grid.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey) return;
    const last = cells.length - 1;
    const row = stop - stop % columns;
    const to = {
      ArrowLeft: stop - 1,
      ArrowRight: stop + 1,
      ArrowUp: stop - columns,
      ArrowDown: stop + columns,
      Home: event.ctrlKey ? 0 : row,
      End: event.ctrlKey ? last : Math.min(row + columns - 1, last)
    }[event.key];
    if (to === void 0) return;
    event.preventDefault();
    if (to >= 0 && to <= last) cells[to].focus();
  });
  const build = () => {
    const codes = 1 << fmt.bits;
    if (cells.length !== codes || grid.dataset.columns !== String(Math.min(columns, codes))) lay(codes);
    cells.forEach((cell, i) => paint(cell, fmt, BigInt(i)));
    moveStop(Math.min(stop, codes - 1));
  };
  const lay = (codes) => {
    cells = Array.from({ length: codes }, () => h(
      "div",
      { role: "gridcell", tabindex: -1 },
      h("span", { class: "mw-design-letter", "aria-hidden": "true" }),
      h("span", { "aria-hidden": "true" })
    ));
    const rows = [];
    for (let i = 0; i < codes; i += columns) rows.push(h("div", { role: "row", class: "mw-design-row" }, ...cells.slice(i, i + columns)));
    set(grid, { "data-columns": Math.min(columns, codes) });
    grid.style.setProperty("--columns", String(Math.min(columns, codes)));
    grid.replaceChildren(...rows);
  };
  return {
    element,
    show(next) {
      fmt = next;
      element.hidden = next.bits > MAP_BITS;
      if (!element.hidden) build();
    },
    resize(pixels) {
      const next = pixels < NARROW_PIXELS ? NARROW : WIDE;
      if (next === columns) return;
      columns = next;
      if (fmt && !element.hidden) build();
    }
  };
}
function paint(cell, fmt, code) {
  const kind = classify(fmt, code);
  const [letter, value] = cell.children;
  set(cell, {
    class: `mw-design-cell mw-design-${kind}`,
    "aria-label": t("designer.cell", { code: fmt.toHex(code), kind: t(`bits.class_${kind}`), value: figure(fmt, code).text })
  });
  setText(letter, t(`designer.letter_${kind}`));
  setText(value, shortText(fmt, code));
}
function shortText(fmt, code) {
  const { text } = figure(fmt, code);
  return text.length <= CELL_CHARACTERS ? text : withMinus(shortest(fmt, code));
}
function describe(fmt, code) {
  const { biasedExponent, fraction } = fields(fmt, code);
  const sign = fmt.signed ? [String(Number(isNegative(fmt, code)))] : [];
  const exponent = biasedExponent.toString(2).padStart(fmt.exponentBits, "0");
  const rest = fmt.fractionBits ? [fraction.toString(2).padStart(fmt.fractionBits, "0")] : [];
  const bits = [...sign, exponent, ...rest].join(" ");
  return t("designer.detail", {
    code: fmt.toHex(code),
    bits,
    kind: t(`bits.class_${classify(fmt, code)}`),
    value: figure(fmt, code).text
  });
}

// mixwidgets/widgets/format_designer/legend.ts
function legend() {
  const list = h("ul", { class: "mw-design-legend" });
  const note = h("p", { class: "mw-note" });
  const element = h("div", { class: "mw-stack-tight" }, list, note);
  const show2 = (fmt) => {
    const counts = countsOf(fmt);
    const all = 1n << BigInt(fmt.bits);
    const found = CLASSES.filter((kind) => counts[kind] > 0n);
    list.replaceChildren(...found.map((kind) => h(
      "li",
      {},
      h("span", { class: `mw-design-swatch mw-design-${kind}`, "aria-hidden": "true" }, t(`designer.letter_${kind}`)),
      t("designer.class_count", { kind: t(`designer.class_${kind}`), count: grouped(counts[kind]), share: shareOf(counts[kind], all) })
    )));
    note.hidden = fmt.bits <= MAP_BITS;
    note.textContent = t("designer.too_wide", { codes: grouped(all), bits: fmt.bits });
  };
  return { element, show: show2 };
}
function grouped(count) {
  return count.toLocaleString("en-US");
}
function shareOf(part, all) {
  const percent = (2000n * part + all) / (2n * all);
  return percent === 0n ? t("designer.tiny") : `${cut(rational(percent, 10n), 4)} %`;
}

// mixwidgets/widgets/format_designer/sheet.ts
var DIGITS = 10;
function figuresOf(fmt) {
  const smallestNormal = fmt.hasZero ? 1n << BigInt(fmt.fractionBits) : 0n;
  const hasNormal = smallestNormal <= fmt.maxCode;
  const hasSubnormal = fmt.hasZero && fmt.fractionBits > 0;
  return [
    ["designer.bits", t("designer.bits_text", {
      bits: fmt.bits,
      sign: Number(fmt.signed),
      exponent: fmt.exponentBits,
      fraction: fmt.fractionBits
    })],
    ["designer.precision", String(fmt.precision)],
    ["designer.exponents", withMinus(`${fmt.emin} … ${fmt.emax}`)],
    ["designer.max", amount(exact(fmt, fmt.maxCode))],
    ["designer.smallest_normal", hasNormal ? amount(exact(fmt, smallestNormal)) : t("designer.none")],
    ["designer.smallest_subnormal", hasSubnormal ? amount(exact(fmt, 1n)) : t("designer.none")],
    ["designer.eps", amount(power(2n, -fmt.fractionBits))],
    ["designer.unit_roundoff", amount(power(2n, -fmt.precision))],
    ["designer.threshold", `${fmt.overflowTieStays ? ">" : "≥"} ${amount(fmt.overflowThreshold)}`],
    ["designer.finite", finiteValues(fmt).toLocaleString("en-US")],
    ["designer.infinity_code", fmt.infCode === null ? t("designer.none") : fmt.toHex(fmt.infCode)],
    ["designer.nan_code", fmt.nanCode === null ? t("designer.none") : fmt.toHex(fmt.nanCode)],
    ["designer.negative_zero", fmt.hasNegativeZero ? fmt.toHex(fmt.signBit) : t("designer.none")]
  ];
}
function amount(x) {
  const exponent = floorLog2(x);
  if (compare(x, power(2n, exponent)) !== 0) return cut(x, DIGITS);
  if (exponent >= 0 && exponent <= 10) return cut(x, DIGITS);
  const digits = cut(x, DIGITS);
  return digits.includes("…") ? `2${superscript(exponent)} ≈ ${digits.replace("…", "")}` : `2${superscript(exponent)} = ${digits}`;
}
function specSheet() {
  const element = h("dl", { class: "mw-design-sheet" });
  const show2 = (fmt) => {
    element.replaceChildren(...figuresOf(fmt).map(([key, text]) => h("div", {}, h("dt", {}, t(key)), h("dd", { class: "mw-num" }, text))));
  };
  return { element, show: show2 };
}

// mixwidgets/widgets/format_designer/page.ts
var ANNOUNCE_MS = 600;
var FIRST = "float8_e4m3";
function render({ model, el }) {
  const { root, head } = card(el, t("designer.title"));
  root.classList.add("mw-format-designer");
  const name = h("p", { class: "mw-num mw-design-name" });
  head.append(name);
  const callout = h("p", { class: "mw-callout" });
  const sheet = specSheet();
  const map = codeMap();
  const classes = legend();
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let good = designFrom(model);
  let draft = good;
  let announcing;
  const paint2 = () => {
    const fmt = formatOf(good);
    setText(name, (known2(good)[0] ?? fmt).name);
    callout.replaceChildren(...verdict(good).map(({ text, strong }) => strong ? h("strong", {}, text) : text));
    sheet.show(fmt);
    map.show(fmt);
    classes.show(fmt);
  };
  const announce = () => {
    clearTimeout(announcing);
    announcing = setTimeout(() => setText(spoken, callout.textContent), ANNOUNCE_MS);
  };
  const panel = controls({
    draft(changes, at) {
      draft = { ...draft, ...changes };
      const wrong = problem(draft);
      panel.show(draft, at, wrong);
      if (wrong || same(draft, good)) return;
      good = draft;
      for (const trait of TRAITS) model.set(trait, good[trait]);
      paint2();
      announce();
    },
    commit() {
      model.save_changes();
    }
  });
  root.append(h("div", { class: "mw-design-top" }, panel.element, h("div", { class: "mw-stack-tight" }, callout, sheet.element)), classes.element, map.element, spoken);
  panel.show(draft);
  paint2();
  let settling = false;
  let closed = false;
  const settle = () => {
    settling = false;
    const arrived = closed ? null : read((trait) => model.get(trait));
    if (!arrived || same(arrived.design, good)) return;
    good = arrived.design;
    draft = good;
    panel.show(draft);
    paint2();
    announce();
  };
  const changed = () => {
    if (!settling) queueMicrotask(settle);
    settling = true;
  };
  for (const trait of TRAITS) model.on(`change:${trait}`, changed);
  const observer = new ResizeObserver(() => map.resize(root.clientWidth));
  observer.observe(root);
  return () => {
    closed = true;
    clearTimeout(announcing);
    observer.disconnect();
    for (const trait of TRAITS) model.off(`change:${trait}`, changed);
    root.remove();
  };
}
function designFrom(model) {
  return read((trait) => model.get(trait))?.design ?? designOf(getFormat(FIRST));
}
var problem = (draft) => attempt(() => void formatOf(draft));
function verdict(design) {
  const [found, ...also] = known2(design);
  const others = listed(relatives(design).filter((fmt) => fmt !== found).map((fmt) => fmt.name));
  const rest = [
    ...also.flatMap((fmt) => pieces("designer.also", { name: fmt.name })),
    ...others ? pieces("designer.relatives", { names: others }) : []
  ];
  if (!found) return [...pieces("designer.new"), ...rest];
  const key = found.experimental ? "designer.is_experimental" : "designer.is_known";
  return [...pieces(key, { name: found.name, citation: found.citation }), ...rest];
}
function accept(wanted) {
  return read((trait) => wanted[trait])?.design ?? null;
}
var page_default = { render, accept };
export {
  page_default as default
};
