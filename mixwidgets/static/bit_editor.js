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
function roundsUp(rounding, negative, lowIsOdd, beside2) {
  switch (rounding) {
    case "ties-to-even":
      return beside2 > 0n || beside2 === 0n && lowIsOdd;
    case "ties-to-away":
      return beside2 >= 0n;
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
function ulp(fmt, code) {
  return power(2n, fmt.exponentOf(fields(fmt, code).biasedExponent) - fmt.fractionBits);
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
function hexFloat(fmt, code) {
  if (!isFinite(fmt, code)) return toDecimal(fmt, code);
  const sign = isNegative(fmt, code) ? "-" : "";
  const { biasedExponent, fraction } = fields(fmt, code);
  const significand = fmt.significandOf(biasedExponent, fraction);
  if (significand === 0n) return sign + "0x0p+0";
  const binary2 = significand.toString(2).slice(1);
  const exponent = fmt.exponentOf(biasedExponent) - fmt.fractionBits + binary2.length;
  const padded = binary2.padEnd(Math.ceil(binary2.length / 4) * 4, "0");
  const digits = padded ? BigInt("0b" + padded).toString(16).padStart(padded.length / 4, "0").replace(/0+$/, "") : "";
  return `${sign}0x1${digits && "." + digits}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
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
var en_default = /* messages */ {"bits.title":"Bit editor","bits.grid":"Bits, sign to fraction","bits.sign":"sign","bits.exponent":"exponent","bits.fraction":"fraction","bits.on":"on","bits.off":"off","bits.sign_bit":"sign bit, {state}","bits.exponent_bit":"exponent bit {number} of {width}, weight {weight}, {state}","bits.fraction_bit":"fraction bit {number} of {width}, weight {weight}, {state}","bits.exponent_number":"biased exponent","bits.fraction_number":"fraction as an integer","bits.field_range":"{came} does not fit: this field holds whole numbers from 0 to {last}","bits.all_ones":"all ones","bits.reserved":"reserved","bits.readouts":"Notations, neighbours and gaps","bits.integer_form":"m × 2^e","bits.binary_code":"binary code","bits.value_below":"value below","bits.value_above":"value above","bits.with_gap":"{value}, {gap} away","bits.error":"error","bits.no_input":"none: nothing was rounded","bits.no_error":"exact","bits.both_errors":"{error}, relative {relative}","bits.everywhere":"The same value in every format","bits.column_format":"format","bits.column_code":"code","bits.column_value":"value","bits.column_error":"error","bits.column_relative":"relative error","bits.elements":"Elements of the tensor","bits.element":"element","bits.elements_all":"of {count} in {format}","bits.elements_first":"of the first {count} in {format}; the tensor has {total}","bits.previous_element":"previous element","bits.next_element":"next element","bits.find":"next","bits.find_next":"next {kind}","bits.find_subnormal":"subnormal","bits.find_infinity":"infinity","bits.find_nan":"NaN","bits.none_of_class":"no {kind} here","bits.rounding":"rounding","bits.overflow_policy":"overflow","bits.formula_ones":"exponent all ones","bits.formula_and":"and fraction","bits.class_zero":"zero","bits.class_subnormal":"subnormal","bits.class_normal":"normal","bits.class_infinity":"infinity","bits.class_nan":"NaN, not a number","bits.quiet":"quiet","bits.signaling":"signaling","bits.largest":"largest finite {format}","bits.lowest":"lowest finite {format}","bits.smallest_normal":"smallest normal {format}","bits.largest_subnormal":"largest subnormal {format}","bits.smallest_subnormal":"smallest subnormal {format}","bits.negative_zero":"negative zero","bits.ulp":"ulp {ulp}","bits.exactly":"exactly","bits.all_digits":"All digits","bits.digits":"all {count} significant digits","bits.step_down":"− ulp","bits.step_up":"+ ulp","bits.undo":"undo","bits.redo":"redo","bits.reset":"reset","bits.presets":"presets","bits.third":"1/3, to 25 digits","bits.copy":"copy","bits.copy_shortest":"shortest","bits.copy_exact":"exact","bits.copy_code":"code","bits.copy_hex_float":"hex float","bits.copy_numpy":"NumPy","bits.copy_torch":"torch","bits.copy_c":"C","bits.copied":"copied as {label}","bits.selected":"No clipboard here: the text is selected, press Ctrl+C or ⌘C.","bits.keys":"keys: ← → move · space flips · ↑ ↓ one ulp · Ctrl+Z undo · drag to paint","bits.midpoint":"midpoint {midpoint}","bits.line":"Number line: {marks}","bits.line_nan":"NaN has no place on the number line","bits.is_value":"*{value} is what these bits say*, exactly. Its neighbours in {format} are {previous} and {next}.","bits.is_infinity":"*These bits are {value}*: the exponent bits are all ones and the fraction is 0. Rounding gets here from *{midpoint}* on.","bits.is_nan":"*These bits are NaN*: the exponent bits are all ones and the fraction is not 0. The fraction’s first bit says quiet, the others may carry anything.","bits.exact":"*{typed} is a {format}*: nothing is rounded. Its neighbours are {previous} and {next}.","bits.nearest":"*{typed} is not a {format}.* It lies between {below} and {above}, nearer to *{value}* (error {error}).","bits.nearest_edge_tie":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins just past *{midpoint}*, the midpoint.","bits.nearest_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins at *{midpoint}*, the midpoint.","bits.tie":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: *{value}* (error {error}).","bits.tie_zero":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: it underflows to *zero* (error {error}).","bits.underflow":"*{typed} is not a {format}.* It lies between {below} and {above}, and nearer to 0: it underflows to *zero* (error {error}). Half of the smallest subnormal is {midpoint}.","bits.overflow":"*{typed} overflows to {infinity}.* The largest finite {format} on this side is {inner}; the next step would be {outer}. From *{midpoint}*, the midpoint, rounding to nearest gives infinity.","bits.overflow_tie":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. A tie goes to the even neighbour, and that is the step: overflow begins here.","bits.would_be_infinity":"which would be infinity","bits.would_be_nan":"whose code is NaN’s","bits.would_be_outside":"which has no code","bits.nothing_below":"nothing below","bits.nothing_above":"nothing above","bits.tie_away":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. With {rounding} a tie goes to the neighbour farther from zero: *{value}* (error {error}).","bits.direction":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}, so that the nearer does not matter: *{value}* (error {error}).","bits.direction_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. Rounding is {rounding}: *{value}* (error {error}).","bits.odd":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}: it takes the neighbour whose code is odd, *{value}* (error {error}).","bits.overflow_tie_away":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. With {rounding} a tie goes away from zero: overflow begins here.","bits.overflow_nan":"*{typed} overflows to NaN*: {format} has no infinity. Its largest number on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_stays":"*{typed} is out of range and becomes {value}.* The largest {format} on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_directed":"*{typed} overflows to {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, which leads past it, and the overflow policy is {policy}.","bits.overflow_inward":"*{typed} is out of range and becomes {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, and the overflow policy {policy}: neither leads past it.","bits.no_infinity":"*{typed} becomes {value}*: {format} has no infinity, and the overflow policy is {policy}.","bits.saturated":"*{typed} becomes {value}*: the overflow policy, {policy}, stops at the largest finite {format}.","bits.no_zero":"*{typed} becomes {value}*: {format} has no zero; its smallest number is {smallest}. The overflow policy is {policy}.","bits.no_negative":"*{typed} becomes {value}*: {format} has no negative numbers. The overflow policy is {policy}.","bits.too_small":"*{typed} becomes {value}*: {format} has nothing below {smallest}, not even zero.","bits.typed_infinity_code":"*{value} needs no rounding*: {format} keeps the code {code} for it.","bits.typed_nan_code":"*NaN needs no rounding*: {format} keeps the code {code} for it.","bits.is_infinity_code":"*These bits are {value}*: {format} keeps the code {code} for it. Rounding to nearest gets here from about *{midpoint}* on.","bits.is_nan_code":"*These bits are NaN*: {format} keeps the code {code} for it.","bits.pattern":"*{typed} is a bit pattern*: it is taken as the code itself, and nothing is rounded. In {format} these bits are {value}.","bits.typed_infinity":"*{value} needs no rounding*: {format} has a code for it, with exponent bits all ones and the fraction 0.","bits.typed_nan":"*NaN needs no rounding*: {format} has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, {code}.","common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","code.form":"{text} is not a code; write it in hex, such as '0x{zeros}'","code.range":"{text} is not a {format} code: it has {bits} bits, so codes end at {last}","format.choice":"{field} must be one of {accepted}; {came} came","format.empty":"no code is left for a finite number other than zero; give the format more bits or fewer special values","format.ieee_pair":"an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither","format.ieee_width":"IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit","format.integer":"{field} must be a whole number from {low} to {high}; {came} came","format.name":"a format needs a name of 1 to {limit} characters","format.nan_place":"NaN can take the code of −0 only in a signed format that has a zero","format.no_nan":"{format} has no NaN; give a number, or choose a format that has one","format.no_sign":"{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate","format.no_zero":"{format} has no zero and no NaN to say so; give a positive number, or let it saturate","parse.binary":"{text} is not a number: after 0b only the digits 0 and 1 may stand","parse.digits":"{text} is not a number: write it in plain digits, {candidate}","parse.exponent":"the exponent of {text} is beyond ±{limit}; write inf or 0 instead","parse.form":"{text} is not a number: write a decimal (0.1, 1e-8), a hex float (0x1p-3), a bit pattern (0x7C00, 0b1), inf or nan","parse.hex_exponent":"{text} is not a number: a hex float ends in its exponent, such as 0x1.8p0","parse.payload":"{text} is not a number: for a NaN with a payload write its code, such as 0x7E01","parse.point":"{text} is not a number: write it with a decimal point, {candidate}","parse.separators":"{text} is not a number: write it without separators, {candidate}","parse.signed_pattern":"{text} is not a number: a bit pattern has no sign; write all its bits, or a hex float with a p, such as -0x1p3","parse.too_long":"a value may have {limit} characters, not {length}"};

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
  const few = chips(legend, usual, choose);
  const more = h(
    "select",
    { class: "mw-more", "aria-label": t("common.more_of", { what: legend }) },
    h("option", { value: "", hidden: true }, t("common.more")),
    ...others.map((name) => h("option", { value: name }, name))
  );
  more.addEventListener("change", () => choose(more.value));
  const show2 = (name) => {
    few.show(name);
    const listed2 = usual.includes(name) || [...more.options].some((option) => option.value === name);
    if (!listed2) more.append(h("option", { value: name }, name));
    more.value = usual.includes(name) ? "" : name;
    more.classList.toggle("mw-chosen", more.value !== "");
  };
  return { element: h("div", { class: "mw-row mw-choice" }, few.element, more), show: show2 };
}
function labelled(text, control) {
  if (!control.id) control.id = uniqueId("control");
  return h("span", { class: "mw-row mw-labelled" }, h("label", { for: control.id, class: "mw-muted" }, text), control);
}

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
function roundedBy(number, how) {
  const next = { ...number, ...how };
  return number.input === "" ? next : typed(next, number.input);
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

// mixwidgets/widgets/bit_editor/drag.ts
var STRIDE = 10;
function paintByDrag(element, painter) {
  let stroke = null;
  let painted = false;
  const paintTo = (x, y) => {
    if (!stroke) return;
    const root = element.getRootNode();
    const steps = Math.max(1, Math.ceil(Math.hypot(x - stroke.x, y - stroke.y) / STRIDE));
    for (let i = 1; i <= steps; i += 1) {
      const at = (from, to) => from + (to - from) * i / steps;
      const cell = painter.cellOf(root.elementFromPoint(at(stroke.x, x), at(stroke.y, y)));
      if (cell >= 0 && painter.isOn(cell) !== stroke.on) painter.paint(cell);
    }
    Object.assign(stroke, { x, y });
  };
  const end = (event) => {
    if (event.pointerId !== stroke?.pointer) return;
    stroke.ends.abort();
    stroke = null;
    if (event.type === "pointercancel") painter.cancel();
    if (event.type === "pointercancel" || !event.composedPath().includes(element)) painted = false;
  };
  element.addEventListener("pointerdown", (event) => {
    const cell = painter.cellOf(event.target);
    if (cell < 0 || event.button !== 0 || stroke) return;
    const ends = new AbortController();
    stroke = { on: !painter.isOn(cell), x: event.clientX, y: event.clientY, pointer: event.pointerId, ends };
    painted = true;
    painter.start();
    painter.paint(cell);
    const move = (moved) => {
      if (moved.pointerId === stroke?.pointer) paintTo(moved.clientX, moved.clientY);
    };
    window.addEventListener("pointermove", move, { signal: ends.signal });
    window.addEventListener("pointerup", end, { signal: ends.signal, capture: true });
    window.addEventListener("pointercancel", end, { signal: ends.signal, capture: true });
  });
  return {
    swallows: ({ detail }) => {
      const was = painted && detail > 0;
      painted = false;
      return was;
    }
  };
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

// mixwidgets/widgets/bit_editor/bits.ts
function bitGrid({ flip, step: step2, setField, stroke }) {
  const element = h("div", { role: "grid", "aria-label": t("bits.grid"), class: "mw-bits" });
  let shown2 = null;
  let buttons2 = [];
  let labels = [];
  let stop = 0;
  const moveStop = (next) => {
    if (buttons2[stop]) set(buttons2[stop], { tabindex: -1 });
    stop = next;
    set(buttons2[stop], { tabindex: 0 });
  };
  const bitOf = (target) => buttons2.findIndex((b) => target instanceof Node && b.contains(target));
  element.addEventListener("focusin", (event) => {
    const i = bitOf(event.target);
    if (i >= 0) moveStop(i);
  });
  const positionOf = (i) => buttons2.length - 1 - i;
  const painting = paintByDrag(element, {
    cellOf: bitOf,
    isOn: (i) => buttons2[i].getAttribute("aria-checked") === "true",
    start: stroke.start,
    paint: (i) => stroke.paint(positionOf(i)),
    cancel: stroke.cancel
  });
  element.addEventListener("click", (event) => {
    const i = bitOf(event.target);
    if (!painting.swallows(event) && i >= 0) flip(positionOf(i));
  });
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || bitOf(event.target) < 0) return;
    const last = buttons2.length - 1;
    const target = { ArrowLeft: Math.max(stop - 1, 0), ArrowRight: Math.min(stop + 1, last), Home: 0, End: last }[event.key];
    if (target !== void 0) buttons2[target].focus();
    else if (event.key === "ArrowUp") step2(1);
    else if (event.key === "ArrowDown") step2(-1);
    else return;
    event.preventDefault();
  });
  const build = (fmt) => {
    buttons2 = [];
    labels = [];
    const rows = fieldsOf(fmt).map((field) => {
      const number = h("span", { class: "mw-num mw-bit-field-rest" });
      number.style.minWidth = `calc(${longestRest(fmt, field)}ch + 2px)`;
      const entry = field.name === "sign" ? null : numberField(field.name, field, setField);
      labels.push({ of: field, number, entry });
      const name = h("span", {}, h("b", {}, field.letter), ` ${t(`bits.${field.name}`)}`);
      const head = h(
        "div",
        { role: "rowheader", class: "mw-bit-field-head" },
        name,
        entry && h("span", { class: "mw-bit-field-number" }, entry.element, number)
      );
      const cells = h("div", { role: "none", class: "mw-bit-field-bits" });
      for (let position = field.low + field.width - 1; position >= field.low; position -= 1) {
        if (!cells.lastElementChild || position % 4 === 3) cells.append(h("div", { role: "none", class: "mw-bit-nibble" }));
        const button = h(
          "button",
          { type: "button", role: "switch", tabindex: -1, class: "mw-bit" },
          h("span", { class: "mw-bit-digit" }),
          h("span", { class: "mw-bit-weight" }, weightOf(field, position))
        );
        buttons2.push(button);
        cells.lastElementChild.append(h("span", { role: "gridcell" }, button));
      }
      return h("div", { role: "row", class: `mw-bit-field mw-bit-${field.name}` }, head, cells, entry?.error);
    });
    const focused = element.contains(element.getRootNode().activeElement);
    element.replaceChildren(...rows);
    moveStop(Math.min(stop, buttons2.length - 1));
    if (focused) buttons2[stop].focus();
    shown2 = fmt;
  };
  const show2 = (fmt, code) => {
    if (fmt !== shown2) build(fmt);
    const read2 = fields(fmt, code);
    for (const { of, number, entry } of labels) {
      entry?.show(String(of.name === "exponent" ? read2.biasedExponent : read2.fraction));
      setText(number, restOf(fmt, of, read2.biasedExponent, isFinite(fmt, code)));
    }
    let i = 0;
    for (const { of } of labels) {
      for (let position = of.low + of.width - 1; position >= of.low; position -= 1, i += 1) {
        const on = (code >> BigInt(position) & 1n) === 1n;
        const button = buttons2[i];
        set(button, { "aria-checked": String(on), "aria-label": nameOf(of, position, on) });
        setText(button.firstElementChild, on ? "1" : "0");
      }
    }
  };
  return { element, show: show2 };
}
function fieldsOf(fmt) {
  const all = [
    { name: "sign", letter: "S", width: Number(fmt.signed), low: fmt.bits - 1 },
    { name: "exponent", letter: "E", width: fmt.exponentBits, low: fmt.fractionBits },
    { name: "fraction", letter: "F", width: fmt.fractionBits, low: 0 }
  ];
  return all.filter(({ width }) => width > 0);
}
function numberField(name, { width, low }, setField) {
  const last = (1n << BigInt(width)) - 1n;
  const digits = String(last).length;
  const field = bareField({ inputmode: "numeric", "aria-label": t(`bits.${name}_number`), class: "mw-bit-number", maxlength: 99 }, (text) => {
    const body = text.trim();
    if (!/^[0-9]+$/.test(body) || BigInt(body) > last) return t("bits.field_range", { last: String(last), came: body.slice(0, 24) });
    setField(low, width, BigInt(body));
    return "";
  });
  field.element.style.width = `calc(${digits}ch + 14px)`;
  return field;
}
function restOf(fmt, { name }, biasedExponent, finite) {
  if (name === "fraction") return `/ ${1n << BigInt(fmt.fractionBits)}`;
  if (!finite) return fmt.nan === "ieee" ? t("bits.all_ones") : t("bits.reserved");
  const value = fmt.exponentOf(biasedExponent);
  const lifted = value + fmt.bias === biasedExponent ? "" : `→ ${value + fmt.bias} `;
  return withMinus(`${lifted}- ${fmt.bias} = ${value}`);
}
function longestRest(fmt, field) {
  if (field.name === "sign") return 0;
  const texts = [0, 1, 2 ** fmt.exponentBits - 1].map((exponent) => restOf(fmt, field, exponent, true));
  const reserved = fmt.infCode === null && fmt.nanCode === null ? [] : [restOf(fmt, field, 0, false)];
  return Math.max(...[...texts, ...reserved].map((text) => text.length));
}
function weightOf({ name, low, width }, position) {
  if (name === "sign") return "±";
  if (name === "exponent") return String(2 ** (position - low));
  const power2 = position - width;
  return { [-1]: "½", [-2]: "¼", [-3]: "⅛" }[power2] ?? `2${superscript(power2)}`;
}
function nameOf({ name, low, width }, position, on) {
  const state = t(on ? "bits.on" : "bits.off");
  if (name === "sign") return t("bits.sign_bit", { state });
  const weight = name === "exponent" ? String(2 ** (position - low)) : withMinus(`2^${position - width}`);
  return t(`bits.${name}_bit`, { number: low + width - position, width, weight, state });
}

// mixwidgets/widgets/bit_editor/copies.ts
var IN_NUMPY = /* @__PURE__ */ new Set(["float64", "float32", "float16"]);
var IN_ML_DTYPES = /* @__PURE__ */ new Set([
  "bfloat16",
  "float8_e5m2",
  "float8_e4m3fn",
  "float8_e4m3",
  "float8_e3m4",
  "float8_e4m3fnuz",
  "float8_e5m2fnuz",
  "float8_e4m3b11fnuz",
  "float8_e8m0fnu",
  "float6_e3m2fn",
  "float6_e2m3fn",
  "float4_e2m1fn"
]);
var IN_TORCH = /* @__PURE__ */ new Set([
  "float64",
  "float32",
  "float16",
  "bfloat16",
  "float8_e5m2",
  "float8_e4m3fn",
  "float8_e4m3fnuz",
  "float8_e5m2fnuz",
  "float8_e8m0fnu"
]);
function copiesOf(fmt, code) {
  const hex = fmt.toHex(code);
  const container = [8, 16, 32, 64].find((bits) => bits >= fmt.bits);
  const copies = [
    { label: t("bits.copy_shortest"), text: shortest(fmt, code) },
    { label: t("bits.copy_exact"), text: toDecimal(fmt, code) },
    { label: t("bits.copy_code"), text: hex },
    { label: t("bits.copy_hex_float"), text: hexFloat(fmt, code) },
    IN_NUMPY.has(fmt.name) && { label: t("bits.copy_numpy"), text: `np.uint${container}(${hex}).view(np.${fmt.name})` },
    IN_ML_DTYPES.has(fmt.name) && { label: t("bits.copy_numpy"), text: `np.uint${container}(${hex}).view(ml_dtypes.${fmt.name})` },
    IN_TORCH.has(fmt.name) && {
      label: t("bits.copy_torch"),
      text: `torch.tensor(${hex}, dtype=torch.uint${container}).view(torch.${fmt.name})`
    },
    { label: t("bits.copy_c"), text: inC(fmt, code) ?? `UINT${container}_C(${hex})` }
  ];
  return copies.filter((copy2) => copy2 !== false);
}
function inC(fmt, code) {
  const suffix = { float64: "", float32: "f" }[fmt.name];
  return suffix === void 0 || !isFinite(fmt, code) ? void 0 : hexFloat(fmt, code) + suffix;
}
async function copy(text, shown2) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown2);
    return false;
  }
}

// mixwidgets/widgets/bit_editor/menu.ts
function menu(label, items) {
  const list = h("ul", { class: "mw-bit-menu-items", tabindex: -1, "aria-label": label });
  const summary = h("summary", {}, label);
  const element = h("details", { class: "mw-bit-menu" }, summary, list);
  const close = () => {
    if (element.contains(element.getRootNode().activeElement)) summary.focus();
    element.open = false;
  };
  element.addEventListener("toggle", () => {
    if (element.open) list.replaceChildren(...items().map(itemOf));
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  element.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) element.open = false;
  });
  const itemOf = ({ label: name, text, choose }) => {
    const button = h("button", { type: "button" }, name);
    const shown2 = text === void 0 ? null : h("code", { class: "mw-num" }, text);
    button.addEventListener("click", async () => {
      if (!await choose(shown2 ?? button)) close();
    });
    return h("li", {}, button, shown2);
  };
  return { element, close };
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
function classLine(fmt, code) {
  const kind = classify(fmt, code);
  const parts = [t(`bits.class_${kind}`)];
  if (kind === "nan" && fmt.nan === "ieee" && fmt.nanCode !== null) {
    const quiet = (code & fmt.nanCode) === fmt.nanCode;
    parts.push(t(quiet ? "bits.quiet" : "bits.signaling"));
  }
  const landmark = landmarks(fmt).find(([named]) => named === code);
  if (landmark) parts.push(t(landmark[1], { format: fmt.name }));
  if (isFinite(fmt, code)) parts.push(t("bits.ulp", { ulp: powerOfTwo(floorLog2(ulp(fmt, code))) }));
  return parts.join(" · ");
}
function landmarks(fmt) {
  const smallestNormal = fmt.hasZero ? 1n << BigInt(fmt.fractionBits) : 0n;
  const named = [];
  if (smallestNormal > 1n) named.push([1n, "bits.smallest_subnormal"]);
  if (smallestNormal > 2n) named.push([smallestNormal - 1n, "bits.largest_subnormal"]);
  named.push([smallestNormal, "bits.smallest_normal"], [fmt.maxCode, "bits.largest"]);
  if (fmt.signed) named.push([fmt.signBit | fmt.maxCode, "bits.lowest"]);
  if (fmt.hasNegativeZero) named.push([fmt.signBit, "bits.negative_zero"]);
  return named;
}
function powerOfTwo(n) {
  return n >= -4 && n <= 24 ? String(2 ** n) : `2${superscript(n)}`;
}
function integerForm(fmt, code) {
  const { biasedExponent, fraction } = fields(fmt, code);
  const sign = isNegative(fmt, code) ? "−" : "";
  const power2 = fmt.exponentOf(biasedExponent) - fmt.fractionBits;
  return { significand: `${sign}${fmt.significandOf(biasedExponent, fraction)}`, power: withMinus(String(power2)) };
}
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

// mixwidgets/widgets/bit_editor/presets.ts
var TEXTS = ["0.1", "65504", "65505", "65520", "inf", "nan"];
var THIRD = "0." + "3".repeat(25);
function presetsOf(number) {
  const { fmt } = number;
  return [
    ...[...TEXTS.map((text) => [text, text]), [t("bits.third"), THIRD]].flatMap(([label, text]) => {
      try {
        return [{ label, number: typed(number, text) }];
      } catch (error) {
        if (error instanceof InputError) return [];
        throw error;
      }
    }),
    ...landmarks(fmt).map(([code, key]) => ({ label: t(key, { format: fmt.name }), number: withCode(number, code) }))
  ];
}

// mixwidgets/widgets/bit_editor/controls.ts
function controls(actions) {
  const button = (label, act) => {
    const made = h("button", { type: "button" }, label);
    made.addEventListener("click", act);
    return made;
  };
  const undo = button(t("bits.undo"), actions.undo);
  const redo = button(t("bits.redo"), actions.redo);
  const reset = button(t("bits.reset"), actions.reset);
  const presets = menu(
    t("bits.presets"),
    () => presetsOf(actions.number()).map(({ label, number }) => ({ label, choose: () => actions.become(number) }))
  );
  const said = h("p", { class: "mw-note", role: "status" });
  const copies = menu(t("bits.copy"), () => {
    const { fmt, code } = actions.number();
    setText(said, "");
    return copiesOf(fmt, code).map(({ label, text }) => ({
      label,
      text,
      choose: async (shown2) => {
        const done = await copy(text, shown2);
        setText(said, done ? t("bits.copied", { label }) : t("bits.selected"));
        return !done;
      }
    }));
  });
  const rounding = choices(ROUNDINGS, (name) => actions.become(roundedBy(actions.number(), { rounding: name })));
  const overflow = choices(OVERFLOWS, (name) => actions.become(roundedBy(actions.number(), { overflow: name })));
  const element = h(
    "div",
    { class: "mw-stack mw-bit-controls" },
    h(
      "div",
      { class: "mw-row" },
      button(t("bits.step_down"), () => actions.step(-1)),
      button(t("bits.step_up"), () => actions.step(1)),
      undo,
      redo,
      reset,
      presets.element,
      copies.element,
      said
    ),
    h("div", { class: "mw-row" }, labelled(t("bits.rounding"), rounding), labelled(t("bits.overflow_policy"), overflow)),
    h("p", { class: "mw-note" }, t("bits.keys"))
  );
  const show2 = (number, able) => {
    rounding.value = number.rounding ?? ROUNDINGS[0];
    overflow.value = number.overflow ?? OVERFLOWS[0];
    set(undo, { "aria-disabled": String(!able.undo) });
    set(redo, { "aria-disabled": String(!able.redo) });
    set(reset, { "aria-disabled": String(!able.reset) });
  };
  return { element, show: show2 };
}
function choices(names, choose) {
  const select = h("select", {}, ...names.map((name) => h("option", { value: name }, name)));
  select.addEventListener("change", () => choose(names[select.selectedIndex]));
  return select;
}

// mixwidgets/widgets/bit_editor/elements.ts
var WANTED = ["subnormal", "infinity", "nan"];
function elementsOf(model) {
  const fmt = getFormat(model.get("_elements_format"));
  const view = model.get("_elements");
  const total = model.get("_elements_total");
  if (!fmt || !(view instanceof DataView) || typeof total !== "number") return null;
  const size = [1, 2, 4, 8].find((bytes) => 8 * bytes >= fmt.bits);
  const count = Math.floor(view.byteLength / size);
  const mask = (1n << BigInt(fmt.bits)) - 1n;
  const code = (index) => {
    let bits = 0n;
    for (let i = size - 1; i >= 0; i -= 1) bits = bits << 8n | BigInt(view.getUint8(index * size + i));
    return bits & mask;
  };
  return count > 0 ? { fmt, count, total, code } : null;
}
function nextOf({ fmt, count, code }, from, kind) {
  for (let step2 = 1; step2 <= count; step2 += 1) {
    const index = (from + step2) % count;
    if (classify(fmt, code(index)) === kind) return index;
  }
  return void 0;
}
function elementIn(elements, index, number) {
  const own = { ...number, fmt: elements.fmt };
  const code = elements.code(index);
  if (number.fmt === elements.fmt) return withCode(own, code);
  try {
    return typed(number, toDecimal(elements.fmt, code));
  } catch (error) {
    if (error instanceof InputError) return withCode(own, code);
    throw error;
  }
}
function elementWalk(elements, number, become) {
  const last = elements.count - 1;
  let index = 0;
  const said = h("span", { class: "mw-note", role: "status" });
  const go = (to) => {
    index = Math.min(Math.max(to, 0), last);
    setText(said, "");
    field.show(String(index));
    become(elementIn(elements, index, number()));
  };
  const field = bareField({ inputmode: "numeric", class: "mw-bit-index", maxlength: 15 }, (text) => {
    if (!/^[0-9]+$/.test(text.trim()) || Number(text) > last) return t("bits.field_range", { last, came: text.trim() });
    go(Number(text));
    return "";
  });
  field.show("0");
  const button = (label, act, name) => {
    const made = h("button", { type: "button", "aria-label": name }, label);
    made.addEventListener("click", act);
    return made;
  };
  const find = (kind) => {
    const found = nextOf(elements, index, kind);
    if (found === void 0) setText(said, t("bits.none_of_class", { kind: t(`bits.find_${kind}`) }));
    else go(found);
  };
  const { count, total } = elements;
  const size = t(count < total ? "bits.elements_first" : "bits.elements_all", {
    count: count.toLocaleString("en-US"),
    total: total.toLocaleString("en-US"),
    format: elements.fmt.name
  });
  return h(
    "div",
    { class: "mw-bit-walk", role: "group", "aria-label": t("bits.elements") },
    h(
      "div",
      { class: "mw-row" },
      button("◀", () => go(index - 1), t("bits.previous_element")),
      labelled(t("bits.element"), field.element),
      button("▶", () => go(index + 1), t("bits.next_element")),
      h("span", { class: "mw-muted" }, size),
      h("span", { class: "mw-muted" }, t("bits.find")),
      ...WANTED.map((kind) => button(t(`bits.find_${kind}`), () => find(kind), t("bits.find_next", { kind: t(`bits.find_${kind}`) }))),
      said
    ),
    field.error
  );
}

// mixwidgets/widgets/bit_editor/unfold.ts
function unfolding(title, build) {
  const body = h("div", { class: "mw-bit-unfolded" });
  const element = h("details", { class: "mw-bit-unfolding" }, h("summary", {}, title), body);
  let fill3 = null;
  let newest = null;
  const refresh = () => {
    if (!element.open || !newest) return;
    fill3 ??= build(body);
    fill3(newest);
  };
  element.addEventListener("toggle", refresh);
  return {
    element,
    show(number) {
      newest = number;
      refresh();
    }
  };
}

// mixwidgets/widgets/bit_editor/every_format.ts
var RELATIVE_DIGITS = 3;
function everyFormat(choose) {
  return unfolding(t("bits.everywhere"), (body) => {
    const columns = ["format", "code", "value", "error", "relative"].map(
      (name) => h("th", { scope: "col", class: `mw-bit-${name}-column` }, t(`bits.column_${name}`))
    );
    const rows = formats.map((fmt) => {
      const button = h("button", { type: "button" }, fmt.name);
      button.addEventListener("click", () => choose(fmt));
      const cells = {
        code: h("td", { class: "mw-num mw-bit-code-column" }),
        value: h("td", { class: "mw-num" }),
        error: h("td", { class: "mw-num" }),
        relative: h("td", { class: "mw-num mw-bit-relative-column" })
      };
      const element = h("tr", {}, h("th", { scope: "row" }, button), cells.code, cells.value, cells.error, cells.relative);
      return { fmt, button, cells, element };
    });
    body.append(
      h(
        "table",
        { class: "mw-bit-table mw-bit-everywhere" },
        h("caption", { class: "mw-hidden" }, t("bits.everywhere")),
        h("thead", {}, h("tr", {}, ...columns)),
        h("tbody", {}, ...rows.map(({ element }) => element))
      )
    );
    return (number) => {
      for (const { fmt, button, cells } of rows) {
        const row = rowOf(fmt, number);
        set(button, { "aria-current": fmt === number.fmt ? "true" : void 0 });
        for (const name of ["code", "value", "error", "relative"]) setText(cells[name], row[name]);
      }
    };
  });
}
function rowOf(fmt, number) {
  try {
    const { code, error, relativeError } = explain(fmt, exactInput(number), number);
    const isExact = error?.numerator === 0n;
    return {
      code: fmt.toHex(code),
      value: figure(fmt, code).text,
      error: !error ? "–" : isExact ? t("bits.no_error") : signed(error),
      relative: !relativeError || isExact ? "–" : cut(magnitudeOf(relativeError), RELATIVE_DIGITS)
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { code: "–", value: t(error.key, error.args), error: "–", relative: "–" };
  }
}

// mixwidgets/widgets/bit_editor/format_choice.ts
var USUAL = ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn"];
function formatChoice(choose) {
  const error = h("p", { class: "mw-error", role: "alert" });
  const pick = (name) => {
    const wrong = choose(getFormat(name));
    if (shown2) show2(shown2);
    setText(error, wrong);
  };
  let shown2 = null;
  const others = formats.map(({ name }) => name).filter((name) => !USUAL.includes(name));
  const choice = chipsAndMore(t("common.formats"), USUAL, others, pick);
  const show2 = (fmt) => {
    shown2 = fmt;
    setText(error, "");
    choice.show(fmt.name);
  };
  return { element: h("div", {}, choice.element, error), show: show2 };
}

// mixwidgets/widgets/bit_editor/formula.ts
function formula() {
  const element = h("p", { class: "mw-bit-formula mw-num", role: "math" });
  const show2 = (fmt, code) => {
    const parts = partsOf(fmt, code);
    element.setAttribute("aria-label", parts.map(({ text, power: power2 }) => text + (power2 === void 0 ? "" : `^${power2}`)).join(" "));
    element.replaceChildren(
      ...parts.map(
        ({ text, power: power2, field }) => h(
          "span",
          { class: field ? `mw-bit-term mw-bit-${field}` : "mw-bit-term" },
          h("span", {}, text, power2 === void 0 ? null : h("sup", {}, power2)),
          h("span", { class: "mw-bit-letter" }, field ? { sign: "S", exponent: "E", fraction: "F" }[field] : "")
        )
      )
    );
  };
  return { element, show: show2 };
}
function partsOf(fmt, code) {
  const { sign, biasedExponent, fraction } = fields(fmt, code);
  const { text, isExact } = figure(fmt, code);
  const times = { text: "×" };
  const signParts = fmt.signed ? [{ text: sign ? "(−1)" : "(+1)", field: "sign" }, times] : [];
  const kind = classify(fmt, code);
  if (kind === "infinity" && fmt.infinity === "ieee") return [...signParts, { text: "∞" }, { text: "=" }, { text }];
  if (kind === "nan" && fmt.nan === "ieee") {
    return [
      { text: t("bits.formula_ones"), field: "exponent" },
      { text: t("bits.formula_and") },
      { text: `${fraction} ≠ 0`, field: "fraction" },
      { text: "=" },
      { text }
    ];
  }
  if (!isFinite(fmt, code)) return [{ text: fmt.toHex(code) }, { text: "=" }, { text }];
  const lead = fmt.hasZero && biasedExponent === 0 ? 0 : 1;
  const unit = 1n << BigInt(fmt.fractionBits);
  const significand = fmt.fractionBits ? [times, { text: `(${lead} + ${fraction}/${unit})`, field: "fraction" }] : [];
  if (!fmt.fractionBits && lead === 0) significand.push(times, { text: "0" });
  return [
    ...signParts,
    { text: "2", power: withMinus(String(fmt.exponentOf(biasedExponent))), field: "exponent" },
    ...significand,
    { text: isExact ? "=" : "≈" },
    { text }
  ];
}

// mixwidgets/widgets/bit_editor/history.ts
var DEPTH = 500;
function editHistory() {
  const past = [];
  let future = [];
  const move = (from, to, now) => {
    const next = from.pop();
    if (next) to.push(now);
    return next;
  };
  return {
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    record(before) {
      past.push(before);
      if (past.length > DEPTH) past.shift();
      future = [];
    },
    undo: (now) => move(past, future, now),
    redo: (now) => move(future, past, now)
  };
}

// mixwidgets/widgets/bit_editor/more_readouts.ts
var GAP_DIGITS = 12;
function moreReadouts() {
  return unfolding(t("bits.readouts"), (body) => {
    const table = h("table", { class: "mw-bit-table" }, h("caption", { class: "mw-hidden" }, t("bits.readouts")));
    const cells = /* @__PURE__ */ new Map();
    body.append(table);
    return (number) => {
      const rows = readoutsOf(number);
      for (const { name, text } of rows) {
        const cell = cells.get(name) ?? h("td", { class: "mw-num" });
        if (!cells.has(name)) table.append(h("tr", {}, h("th", { scope: "row" }, name), cell));
        cells.set(name, cell);
        setText(cell, text);
      }
    };
  });
}
function readoutsOf(number) {
  const { fmt, code } = number;
  const finite = isFinite(fmt, code);
  const { significand, power: power2 } = integerForm(fmt, code);
  return [
    { name: t("bits.copy_shortest"), text: withMinus(shortest(fmt, code)) },
    { name: t("bits.copy_hex_float"), text: hexFloat(fmt, code) },
    { name: t("bits.integer_form"), text: finite ? `${significand} × 2^${power2}` : withMinus(toDecimal(fmt, code)) },
    { name: t("bits.binary_code"), text: binary(fmt, code) },
    { name: t("bits.value_below"), text: beside(fmt, code, nextDown(fmt, code), finite ? neighbours(fmt, code).previous : "") },
    { name: t("bits.value_above"), text: beside(fmt, code, nextUp(fmt, code), finite ? neighbours(fmt, code).next : "") },
    { name: t("bits.error"), text: errors(number) }
  ];
}
function binary(fmt, code) {
  const bits = code.toString(2).padStart(fmt.bits, "0");
  const [sign, exponent] = [Number(fmt.signed), Number(fmt.signed) + fmt.exponentBits];
  return [bits.slice(0, sign), bits.slice(sign, exponent), bits.slice(exponent)].filter((field) => field).join(" ");
}
function beside(fmt, code, other, value) {
  if (!isFinite(fmt, code)) return "–";
  if (other === code || !isFinite(fmt, other)) return value;
  const gap = subtract(exact(fmt, other), exact(fmt, code));
  return t("bits.with_gap", { value, gap: cut(gap.numerator < 0n ? subtract(exact(fmt, code), exact(fmt, other)) : gap, GAP_DIGITS) });
}
function errors(number) {
  if (number.input === "") return t("bits.no_input");
  const { error, relativeError } = explain(number.fmt, number.input, number);
  if (!error) return "–";
  if (error.numerator === 0n) return t("bits.no_error");
  return relativeError ? t("bits.both_errors", { error: signed(error), relative: signed(relativeError) }) : signed(error);
}

// mixwidgets/widgets/bit_editor/number_line.ts
var LABEL_DIGITS = 8;
var CROWDED = 12;
var AXIS = 48;
var ROWS = [70, 86];
function lineOf(number) {
  const { fmt, code } = number;
  const how = number.input === "" ? null : explain(fmt, number.input, number);
  if (!how?.midpoint) return classify(fmt, code) === "nan" ? null : around(fmt, code);
  const { below, above } = places(fmt, how);
  const value = exactOf(how);
  const tied = compare(value, how.midpoint) === 0;
  const digits = digitsToTellApart([below, above, how.midpoint, ...tied ? [] : [value]], LABEL_DIGITS);
  const at = scaleTo(below, subtract(above, below));
  const marks = stepMarks(fmt, at, digits, [
    [farther(fmt, how.below, nextDown), "far"],
    [how.below, "step", below],
    [how.above, "step", above],
    [farther(fmt, how.above, nextUp), "far"]
  ]);
  return {
    domain: [-1.3, 2.3],
    marks: [
      ...marks,
      { at: at(how.midpoint), label: t("bits.midpoint", { midpoint: cut(how.midpoint, digits) }), kind: "midpoint" },
      { at: at(value), label: typedText(number).slice(0, 24), kind: "typed" }
    ]
  };
}
function around(fmt, code) {
  const [down, up] = [farther(fmt, code, nextDown), farther(fmt, code, nextUp)];
  const here = place(fmt, code);
  const beside2 = [down, up].filter((c) => c !== null).map((c) => place(fmt, c));
  const gaps = beside2.map((x) => magnitudeOf(subtract(x, here)));
  const unit = gaps.reduce((a, b) => compare(a, b) >= 0 ? a : b);
  const marks = stepMarks(fmt, scaleTo(here, unit), digitsToTellApart([here, ...beside2], LABEL_DIGITS), [
    [farther(fmt, down, nextDown), "far"],
    [down, "step"],
    [code, "here"],
    [up, "step"],
    [farther(fmt, up, nextUp), "far"]
  ]);
  return { domain: [-2.4, 2.4], marks };
}
function farther(fmt, code, step2) {
  const next = code === null ? null : step2(fmt, code);
  return next === code ? null : next;
}
function scaleTo(origin, unit) {
  return (x) => toNumber(divide(subtract(x, origin), unit));
}
function stepMarks(fmt, at, digits, steps) {
  return steps.flatMap(([code, kind, step2]) => {
    if (code === null) return [];
    const x = step2 ?? place(fmt, code);
    if (isFinite(fmt, code) && compare(x, place(fmt, code)) === 0) {
      const zero = fmt.hasNegativeZero && code === fmt.signBit;
      return [{ at: at(x), label: zero ? "−0" : cut(x, digits), kind }];
    }
    const instead = figure(fmt, code).text;
    const label = `${cut(x, digits)} → ${instead}`;
    return [{ at: at(x), label: label.length > CROWDED ? instead : label, kind: "infinity" }];
  });
}
function numberLine() {
  const element = s("svg", { class: "mw-bit-line", role: "img" });
  const show2 = (number) => {
    const line = lineOf(number);
    const labels = line?.marks.map((mark) => mark.label) ?? [];
    set(element, { "aria-label": line ? t("bits.line", { marks: listed(labels) }) : t("bits.line_nan") });
    element.replaceChildren(
      s("line", { class: "mw-bit-axis", x1: "1%", x2: "99%", y1: AXIS, y2: AXIS }),
      ...line ? draw(line) : [s("text", { x: "50%", y: 30, class: "mw-bit-line-empty" }, t("bits.line_nan"))]
    );
  };
  return { element, show: show2 };
}
function draw({ domain, marks: all }) {
  const [low, high] = domain;
  const marks = all.filter(({ kind, at }) => kind !== "far" || at >= low && at <= high);
  const x = (at) => Math.min(Math.max(100 * (at - low) / (high - low), 0), 100);
  const crowded = marks.some(({ kind, label }) => kind === "step" && label.length > CROWDED);
  let steps = 0;
  return marks.map(({ at, label, kind }) => {
    const left = `${x(at).toFixed(3)}%`;
    const group = s("g", { class: `mw-bit-mark-${kind}${kind === "far" && crowded ? " mw-bit-crowded" : ""}` });
    const text = (y) => group.append(s("text", { x: left, y }, label));
    if (kind === "midpoint") {
      group.append(s("line", { x1: left, x2: left, y1: 18, y2: AXIS + 12 }));
      text(12);
    } else if (kind === "typed") {
      const inside = at >= low && at <= high;
      group.append(inside ? s("circle", { cx: left, cy: AXIS, r: 6 }) : arrow(at > high));
      if (!inside) group.classList.add(at > high ? "mw-bit-beyond-right" : "mw-bit-beyond-left");
      text(32);
    } else {
      group.append(s("line", { x1: left, x2: left, y1: AXIS - 7, y2: AXIS + 7 }));
      if (kind === "here") group.append(s("circle", { cx: left, cy: AXIS, r: 6 }));
      if (kind !== "far" && kind !== "here") steps += 1;
      text(kind === "here" ? 32 : ROWS[crowded && steps % 2 === 0 && kind !== "far" ? 1 : 0]);
    }
    return group;
  });
}
function arrow(right) {
  const shape = right ? "M-10,-7 L2,0 L-10,7 Z" : "M10,-7 L-2,0 L10,7 Z";
  return s("svg", { x: right ? "99%" : "1%", y: AXIS, overflow: "visible" }, s("path", { d: shape }));
}

// mixwidgets/widgets/bit_editor/readout.ts
var ONE_LINE = 64;
function readout() {
  const large = h("div", { class: "mw-figure" });
  const kind = h("p", { class: "mw-muted mw-bit-kind" });
  const integer = h("span", { class: "mw-num" });
  const inline = h("span", { class: "mw-num" });
  const summary = h("summary", {});
  const all = h("p", { class: "mw-num mw-bit-all-digits", tabindex: 0, role: "group", "aria-label": t("bits.all_digits") });
  const folded = h("details", { class: "mw-bit-folded" }, summary, all);
  const exactly = h("div", { class: "mw-bit-exact" }, h("span", { class: "mw-muted" }, t("bits.exactly")), integer, inline, folded);
  const show2 = (fmt, code) => {
    const { text } = figure(fmt, code);
    large.style.setProperty("--chars", String(Math.max([...text].length, 5)));
    setText(large, text);
    setText(kind, classLine(fmt, code));
    const finite = isFinite(fmt, code);
    exactly.classList.toggle("mw-bit-invisible", !finite);
    const digits = withMinus(toDecimal(fmt, code));
    const long = finite && digits.length > ONE_LINE;
    folded.hidden = !long;
    if (!finite) return;
    const { significand, power: power2 } = integerForm(fmt, code);
    integer.replaceChildren(`${significand} × 2`, h("sup", {}, power2));
    setText(inline, long ? "" : `= ${digits}`);
    if (!long) return;
    setText(summary, t("bits.digits", { count: digits.replace(/^[−0.]+/, "").replace(".", "").length }));
    setText(all, digits);
  };
  return { figure: h("div", { class: "mw-bit-figure" }, large), details: h("div", {}, kind, exactly), show: show2 };
}

// mixwidgets/widgets/bit_editor/page.ts
var LONGEST_TEXT = 2e4;
var ANNOUNCE_MS = 600;
var EASY_TEXT = 24;
function render({ model, el }) {
  const { root, head } = card(el, t("bits.title"));
  root.classList.add("mw-bit-editor");
  const history = editHistory();
  const become = (next, when) => {
    if (sameNumber(next, link.number)) return;
    history.record(link.number);
    link.edit(next, when);
  };
  const back = (to) => {
    const next = to(link.number);
    if (next) link.edit(next, "soon");
  };
  const flip = (position) => withCode(link.number, link.number.code ^ 1n << BigInt(position));
  const step2 = (direction) => {
    const next = direction > 0 ? nextUp : nextDown;
    become(withCode(link.number, next(link.number.fmt, link.number.code)), "soon");
  };
  const toFormat = (fmt) => attempt(() => become(inFormat(link.number, fmt), "now"));
  const choice = formatChoice(toFormat);
  head.append(choice.element);
  const answer = readout();
  const value = textField(t("common.value"), LONGEST_TEXT, (text) => attempt(() => become(typed(link.number, text), "now")));
  const code = textField(
    t("common.code"),
    LONGEST_TEXT,
    (text) => attempt(() => become(withCode(link.number, link.number.fmt.toCode(text)), "now"))
  );
  const bits = bitGrid({
    flip: (position) => become(flip(position), "soon"),
    step: step2,
    setField: (low, width, field) => {
      const mask = (1n << BigInt(width)) - 1n << BigInt(low);
      const rest = link.number.code & ~mask;
      become(withCode(link.number, rest | field << BigInt(low)), "now");
    },
    stroke: {
      start: () => history.record(link.number),
      paint: (position) => link.edit(flip(position), "soon"),
      cancel: () => back(history.undo)
    }
  });
  const terms = formula();
  const callout = h("p", { class: "mw-callout" });
  const line = numberLine();
  const row = controls({
    number: () => link.number,
    step: step2,
    undo: () => back(history.undo),
    redo: () => back(history.redo),
    reset: () => become(first, "now"),
    become: (next) => become(next, "now")
  });
  const readouts = moreReadouts();
  const everywhere = everyFormat(toFormat);
  const elements = elementsOf(model);
  const walk = elements && elementWalk(elements, () => link.number, (next) => become(next, "soon"));
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  root.append(
    ...walk ? [walk] : [],
    h(
      "div",
      { class: "mw-bit-top" },
      answer.figure,
      h("div", { class: "mw-bit-fields" }, h("div", { class: "mw-row" }, value.element, code.element), value.error, code.error),
      answer.details
    ),
    bits.element,
    terms.element,
    callout,
    line.element,
    row.element,
    h("div", {}, readouts.element, everywhere.element),
    spoken
  );
  let announcing;
  const paint = (number) => {
    const { fmt } = number;
    root.dataset.width = fmt.bits > 32 ? "64" : fmt.bits > 16 ? "32" : "16";
    choice.show(fmt);
    answer.show(fmt, number.code);
    value.show(fieldText(number));
    code.show(fmt.toHex(number.code));
    bits.show(fmt, number.code);
    terms.show(fmt, number.code);
    const { key, args, tone } = sentence(number);
    callout.dataset.tone = tone;
    callout.replaceChildren(...pieces(key, args).map(({ text, strong }) => strong ? h("strong", {}, text) : text));
    line.show(number);
    readouts.show(number);
    everywhere.show(number);
    row.show(number, { undo: history.canUndo, redo: history.canRedo, reset: !sameNumber(number, first) });
  };
  const announce = (number) => {
    clearTimeout(announcing);
    const words = [figure(number.fmt, number.code).text, classLine(number.fmt, number.code)].join(" · ");
    announcing = setTimeout(() => setText(spoken, words), ANNOUNCE_MS);
  };
  const link = numberLink(model, (number) => {
    paint(number);
    announce(number);
  });
  const first = link.number;
  paint(first);
  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) link.flush();
  }, { signal });
  root.addEventListener("keydown", (event) => {
    const to = event.altKey || !(event.ctrlKey || event.metaKey) ? void 0 : backKey(event);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    back(history[to]);
  }, { signal });
  document.addEventListener("visibilitychange", link.flush, { signal });
  window.addEventListener("pagehide", link.flush, { signal });
  return () => {
    clearTimeout(announcing);
    listening.abort();
    link.close();
    root.remove();
  };
}
function backKey({ key, shiftKey }) {
  if (key.toLowerCase() === "z") return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" ? "redo" : void 0;
}
function fieldText({ fmt, code, input }) {
  if (input !== "") return input;
  const all = toDecimal(fmt, code);
  return isFinite(fmt, code) && all.length > EASY_TEXT ? shortest(fmt, code) : all;
}
var page_default = { render, accept };
export {
  page_default as default
};
