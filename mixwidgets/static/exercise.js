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
  const right2 = y.numerator * x.denominator;
  return left < right2 ? -1 : left > right2 ? 1 : 0;
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
  const hex = HEX_FLOAT.exec(body)?.groups;
  if (hex) return assemble(hex, "0x", 16n, 2n, body);
  throw likelyFix(text, body);
}
function toCode(text, bits2, name) {
  const body = text.replace(BLANKS, "");
  const prefixed = BIT_PATTERN.test(body) || /^0b./i.test(body) ? body : "0x" + body;
  if (!BIT_PATTERN.test(prefixed)) {
    throw new InputError("code.form", { text: shown(text), zeros: "0".repeat(Math.ceil(bits2 / 4)) });
  }
  return checkWidth(BigInt(prefixed.toLowerCase()), bits2, name);
}
function checkWidth(code, bits2, name) {
  if (code >> BigInt(bits2) !== 0n) {
    const last = "0x" + ((1n << BigInt(bits2)) - 1n).toString(16).toUpperCase();
    const text = shown("0x" + code.toString(16));
    throw new InputError("code.range", { text, format: name, bits: String(bits2), last });
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
  const plain2 = body.normalize("NFKC");
  const candidates = [
    [plain2, "parse.digits"],
    [plain2.replaceAll(",", "."), "parse.point"],
    [plain2.replace(/[_ ]|,(?=[0-9]{3})/g, ""), "parse.separators"]
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

// js/messages/en.json
var en_default = /* messages */ {"bits.title":"Bit editor","bits.grid":"Bits, sign to fraction","bits.sign":"sign","bits.exponent":"exponent","bits.fraction":"fraction","bits.on":"on","bits.off":"off","bits.sign_bit":"sign bit, {state}","bits.exponent_bit":"exponent bit {number} of {width}, weight {weight}, {state}","bits.fraction_bit":"fraction bit {number} of {width}, weight {weight}, {state}","bits.exponent_number":"biased exponent","bits.fraction_number":"fraction as an integer","bits.field_range":"{came} does not fit: this field holds whole numbers from 0 to {last}","bits.all_ones":"all ones","bits.reserved":"reserved","bits.readouts":"Notations, neighbours and gaps","bits.integer_form":"m × 2^e","bits.binary_code":"binary code","bits.value_below":"value below","bits.value_above":"value above","bits.with_gap":"{value}, {gap} away","bits.error":"error","bits.no_input":"none: nothing was rounded","bits.no_error":"exact","bits.both_errors":"{error}, relative {relative}","bits.everywhere":"The same value in every format","bits.column_format":"format","bits.column_code":"code","bits.column_value":"value","bits.column_error":"error","bits.column_relative":"relative error","bits.elements":"Elements of the tensor","bits.element":"element","bits.elements_all":"of {count} in {format}","bits.elements_first":"of the first {count} in {format}; the tensor has {total}","bits.previous_element":"previous element","bits.next_element":"next element","bits.find":"next","bits.find_next":"next {kind}","bits.find_subnormal":"subnormal","bits.find_infinity":"infinity","bits.find_nan":"NaN","bits.none_of_class":"no {kind} here","bits.rounding":"rounding","bits.overflow_policy":"overflow","bits.formula_ones":"exponent all ones","bits.formula_and":"and fraction","bits.class_zero":"zero","bits.class_subnormal":"subnormal","bits.class_normal":"normal","bits.class_infinity":"infinity","bits.class_nan":"NaN, not a number","bits.quiet":"quiet","bits.signaling":"signaling","bits.largest":"largest finite {format}","bits.lowest":"lowest finite {format}","bits.smallest_normal":"smallest normal {format}","bits.largest_subnormal":"largest subnormal {format}","bits.smallest_subnormal":"smallest subnormal {format}","bits.negative_zero":"negative zero","bits.ulp":"ulp {ulp}","bits.exactly":"exactly","bits.all_digits":"All digits","bits.digits":"all {count} significant digits","bits.step_down":"− ulp","bits.step_up":"+ ulp","bits.undo":"undo","bits.redo":"redo","bits.reset":"reset","bits.presets":"presets","bits.third":"1/3, to 25 digits","bits.copy":"copy","bits.copy_shortest":"shortest","bits.copy_exact":"exact","bits.copy_code":"code","bits.copy_hex_float":"hex float","bits.copy_numpy":"NumPy","bits.copy_torch":"torch","bits.copy_c":"C","bits.copied":"copied as {label}","bits.selected":"No clipboard here: the text is selected, press Ctrl+C or ⌘C.","bits.keys":"keys: ← → move · space flips · ↑ ↓ one ulp · Ctrl+Z undo · drag to paint","bits.midpoint":"midpoint {midpoint}","bits.line":"Number line: {marks}","bits.line_nan":"NaN has no place on the number line","bits.is_value":"*{value} is what these bits say*, exactly. Its neighbours in {format} are {previous} and {next}.","bits.is_infinity":"*These bits are {value}*: the exponent bits are all ones and the fraction is 0. Rounding gets here from *{midpoint}* on.","bits.is_nan":"*These bits are NaN*: the exponent bits are all ones and the fraction is not 0. The fraction’s first bit says quiet, the others may carry anything.","bits.exact":"*{typed} is a {format}*: nothing is rounded. Its neighbours are {previous} and {next}.","bits.nearest":"*{typed} is not a {format}.* It lies between {below} and {above}, nearer to *{value}* (error {error}).","bits.nearest_edge_tie":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins just past *{midpoint}*, the midpoint.","bits.nearest_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins at *{midpoint}*, the midpoint.","bits.tie":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: *{value}* (error {error}).","bits.tie_zero":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: it underflows to *zero* (error {error}).","bits.underflow":"*{typed} is not a {format}.* It lies between {below} and {above}, and nearer to 0: it underflows to *zero* (error {error}). Half of the smallest subnormal is {midpoint}.","bits.overflow":"*{typed} overflows to {infinity}.* The largest finite {format} on this side is {inner}; the next step would be {outer}. From *{midpoint}*, the midpoint, rounding to nearest gives infinity.","bits.overflow_tie":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. A tie goes to the even neighbour, and that is the step: overflow begins here.","bits.would_be_infinity":"which would be infinity","bits.would_be_nan":"whose code is NaN’s","bits.would_be_outside":"which has no code","bits.nothing_below":"nothing below","bits.nothing_above":"nothing above","bits.tie_away":"*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. With {rounding} a tie goes to the neighbour farther from zero: *{value}* (error {error}).","bits.direction":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}, so that the nearer does not matter: *{value}* (error {error}).","bits.direction_edge":"*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. Rounding is {rounding}: *{value}* (error {error}).","bits.odd":"*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}: it takes the neighbour whose code is odd, *{value}* (error {error}).","bits.overflow_tie_away":"*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. With {rounding} a tie goes away from zero: overflow begins here.","bits.overflow_nan":"*{typed} overflows to NaN*: {format} has no infinity. Its largest number on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_stays":"*{typed} is out of range and becomes {value}.* The largest {format} on this side is {inner}, the next step would be {outer}, the midpoint *{midpoint}*. Overflow policy: {policy}.","bits.overflow_directed":"*{typed} overflows to {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, which leads past it, and the overflow policy is {policy}.","bits.overflow_inward":"*{typed} is out of range and becomes {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, and the overflow policy {policy}: neither leads past it.","bits.no_infinity":"*{typed} becomes {value}*: {format} has no infinity, and the overflow policy is {policy}.","bits.saturated":"*{typed} becomes {value}*: the overflow policy, {policy}, stops at the largest finite {format}.","bits.no_zero":"*{typed} becomes {value}*: {format} has no zero; its smallest number is {smallest}. The overflow policy is {policy}.","bits.no_negative":"*{typed} becomes {value}*: {format} has no negative numbers. The overflow policy is {policy}.","bits.too_small":"*{typed} becomes {value}*: {format} has nothing below {smallest}, not even zero.","bits.typed_infinity_code":"*{value} needs no rounding*: {format} keeps the code {code} for it.","bits.typed_nan_code":"*NaN needs no rounding*: {format} keeps the code {code} for it.","bits.is_infinity_code":"*These bits are {value}*: {format} keeps the code {code} for it. Rounding to nearest gets here from about *{midpoint}* on.","bits.is_nan_code":"*These bits are NaN*: {format} keeps the code {code} for it.","bits.pattern":"*{typed} is a bit pattern*: it is taken as the code itself, and nothing is rounded. In {format} these bits are {value}.","bits.typed_infinity":"*{value} needs no rounding*: {format} has a code for it, with exponent bits all ones and the fraction 0.","bits.typed_nan":"*NaN needs no rounding*: {format} has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, {code}.","common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","code.form":"{text} is not a code; write it in hex, such as '0x{zeros}'","code.range":"{text} is not a {format} code: it has {bits} bits, so codes end at {last}","format.choice":"{field} must be one of {accepted}; {came} came","format.empty":"no code is left for a finite number other than zero; give the format more bits or fewer special values","format.ieee_pair":"an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither","format.ieee_width":"IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit","format.integer":"{field} must be a whole number from {low} to {high}; {came} came","format.name":"a format needs a name of 1 to {limit} characters","format.nan_place":"NaN can take the code of −0 only in a signed format that has a zero","format.no_nan":"{format} has no NaN; give a number, or choose a format that has one","format.no_sign":"{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate","format.no_zero":"{format} has no zero and no NaN to say so; give a positive number, or let it saturate","parse.binary":"{text} is not a number: after 0b only the digits 0 and 1 may stand","parse.digits":"{text} is not a number: write it in plain digits, {candidate}","parse.exponent":"the exponent of {text} is beyond ±{limit}; write inf or 0 instead","parse.form":"{text} is not a number: write a decimal (0.1, 1e-8), a hex float (0x1p-3), a bit pattern (0x7C00, 0b1), inf or nan","parse.hex_exponent":"{text} is not a number: a hex float ends in its exponent, such as 0x1.8p0","parse.payload":"{text} is not a number: for a NaN with a payload write its code, such as 0x7E01","parse.point":"{text} is not a number: write it with a decimal point, {candidate}","parse.separators":"{text} is not a number: write it without separators, {candidate}","parse.signed_pattern":"{text} is not a number: a bit pattern has no sign; write all its bits, or a hex float with a p, such as -0x1p3","parse.too_long":"a value may have {limit} characters, not {length}","exercise.title":"Predict, then check","exercise.prediction":"Your prediction","exercise.how":"Written as 2048, 0.1, 1e-3 or 2^-24; or inf, nan.","exercise.how_or_code":"Written as 2048, 0.1, 1e-3 or 2^-24; or inf, nan; or as a code such as 0x3C00.","exercise.write":"Write what you expect; a guess will do.","exercise.choose":"Choose what you expect; a guess will do.","exercise.check":"Check","exercise.hint":"Hint","exercise.show":"Show the answer","exercise.again":"Start over","exercise.predict_first":"Predict first, then look.","exercise.hint_told":"The hint has been told.","exercise.over":"The answer is known; start over to try again.","exercise.enough":"That was a good number of attempts: look at the answer.","exercise.right":"*Right.*","exercise.not_yet":"*Not yet.*","exercise.the_hint":"*Hint.*","exercise.the_answer":"*The answer.*","exercise.example":"For example: *{example}*.","exercise.attempts":"Attempts","exercise.attempt":"attempt {number}","exercise.solved":"✓ solved","exercise.shown":"answer shown","exercise.is_right":"right","exercise.is_wrong":"not right","exercise.teacher":"Text for the teacher","exercise.copy":"Copy","exercise.copied":"Copied.","exercise.unreadable":"These answers are not to this question, or to another version of it. Start over."};

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

// js/ui/buttons.ts
function action(text, act, kind = "") {
  const element = h("button", { type: "button", class: kind || void 0 }, text);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-disabled") !== "true") act();
  });
  return {
    element,
    allow: (reason, hint = "") => set(element, { "aria-disabled": reason !== "" && "true", title: reason || hint || void 0 }),
    name: (wanted) => setText(element, wanted)
  };
}

// js/ui/keys.ts
var SUPPRESS = "data-lm-suppress-shortcuts";
function keepKeys(root) {
  const keep2 = ({ target: target2 }, keeps) => target2.toggleAttribute(SUPPRESS, keeps);
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
function withMinus(text) {
  return text.replaceAll("-", "−");
}
function superscript(n) {
  return [...String(n)].map((c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]).join("");
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
function bareField(attributes, commit) {
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
  let shown3 = "";
  let writing = false;
  const say = (text) => {
    setText(error, text);
    set(input, { "aria-invalid": text ? "true" : void 0, "aria-describedby": text ? error.id : void 0 });
  };
  const show2 = (text) => {
    shown3 = text;
    if (writing) return;
    input.value = text;
    say("");
  };
  const tryCommit = () => {
    if (!writing) return;
    if (input.value !== shown3) {
      const wrong = commit(input.value);
      say(wrong);
      if (wrong) return;
    }
    writing = false;
    show2(shown3);
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
      show2(shown3);
    }
  });
  return { element: input, error, show: show2 };
}

// mixwidgets/widgets/bit_editor/bits.ts
function bitGrid({ flip, step, setField, stroke }) {
  const element = h("div", { role: "grid", "aria-label": t("bits.grid"), class: "mw-bits" });
  let shown3 = null;
  let buttons2 = [];
  let labels = [];
  let stop = 0;
  const moveStop = (next) => {
    if (buttons2[stop]) set(buttons2[stop], { tabindex: -1 });
    stop = next;
    set(buttons2[stop], { tabindex: 0 });
  };
  const bitOf = (target2) => buttons2.findIndex((b) => target2 instanceof Node && b.contains(target2));
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
    const target2 = { ArrowLeft: Math.max(stop - 1, 0), ArrowRight: Math.min(stop + 1, last), Home: 0, End: last }[event.key];
    if (target2 !== void 0) buttons2[target2].focus();
    else if (event.key === "ArrowUp") step(1);
    else if (event.key === "ArrowDown") step(-1);
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
    shown3 = fmt;
  };
  const show2 = (fmt, code) => {
    if (fmt !== shown3) build(fmt);
    const read = fields(fmt, code);
    for (const { of, number, entry } of labels) {
      entry?.show(String(of.name === "exponent" ? read.biasedExponent : read.fraction));
      setText(number, restOf(fmt, of, read.biasedExponent, isFinite(fmt, code)));
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
function restOf(fmt, { name }, biasedExponent, finite2) {
  if (name === "fraction") return `/ ${1n << BigInt(fmt.fractionBits)}`;
  if (!finite2) return fmt.nan === "ieee" ? t("bits.all_ones") : t("bits.reserved");
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

// mixwidgets/widgets/exercise/answers.ts
var POWER_OF_TWO = /^([+\-−]?)2(?:\^|\*\*)([+\-−]?[0-9]+)$/;
function readNumber(text, fmt) {
  const found = toExact(text.replace(POWER_OF_TWO, (_, sign, exponent) => `${sign}0x1p${exponent}`));
  if (found.kind !== "pattern") return found;
  if (!fmt) throw new InputError("parse.hex_exponent", { text: `'${text.slice(0, 40)}'` });
  return decoded(fmt, checkWidth(found.code, fmt.bits, fmt.name));
}
function decoded(fmt, code) {
  const kind = classify(fmt, code);
  if (kind === "nan") return { kind, negative: false, magnitude: rational(0n) };
  const negative = isNegative(fmt, code);
  if (kind === "infinity") return { kind, negative, magnitude: rational(0n) };
  return { kind: "finite", negative, magnitude: magnitudeOf(exact(fmt, code)) };
}
function finite(value) {
  return { kind: "finite", negative: value.numerator < 0n, magnitude: magnitudeOf(value) };
}
function signed({ negative, magnitude }) {
  return negative ? negate(magnitude) : magnitude;
}
function same(x, y) {
  if (x.kind !== y.kind || x.kind === "nan") return x.kind === y.kind;
  return x.kind === "finite" ? compare(signed(x), signed(y)) === 0 : x.negative === y.negative;
}
function atMost(x, y) {
  if (x.kind === "nan" || y.kind === "nan") return false;
  if (x.kind === "finite" && y.kind === "finite") return compare(signed(x), signed(y)) <= 0;
  return same(x, y) || (x.kind === "infinity" ? x.negative : !y.negative);
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
function p3109(bits2, precision, signed2, extended) {
  check("K", bits2, LEAST_BITS, MOST_BITS);
  check("P", precision, 1, signed2 ? bits2 - 1 : bits2);
  const name = `binary${bits2}p${precision}${signed2 ? "s" : "u"}${extended ? "e" : "f"}`;
  const found = known.get(name);
  if (found) return found;
  const exponentBits = signed2 ? bits2 - precision : bits2 - precision + 1;
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

// mixwidgets/widgets/exercise/rule.ts
var CONSTANTS = {
  max: (fmt) => fmt.magnitude(fmt.maxCode),
  smallest_normal: (fmt) => power(2n, fmt.emin),
  smallest_subnormal: (fmt) => power(2n, fmt.emin - fmt.fractionBits),
  eps: (fmt) => power(2n, -fmt.fractionBits),
  overflow_threshold: (fmt) => fmt.overflowThreshold,
  bias: (fmt) => rational(BigInt(fmt.bias)),
  emax: (fmt) => rational(BigInt(fmt.emax)),
  emin: (fmt) => rational(BigInt(fmt.emin)),
  normal_binades: (fmt) => rational(BigInt(fmt.emax - fmt.emin + 1)),
  steps_in_a_binade: (fmt) => power(2n, fmt.fractionBits),
  first_missing_integer: (fmt) => rational(2n ** BigInt(fmt.precision) + 1n)
};
function formatOf(rule) {
  return getFormat(rule.format);
}
var targets = /* @__PURE__ */ new WeakMap();
function target(rule) {
  if (!targets.has(rule)) targets.set(rule, worked(rule));
  return targets.get(rule);
}
function worked(rule) {
  if (rule.value !== void 0) return readNumber(rule.value);
  const fmt = formatOf(rule);
  if (!fmt) return void 0;
  if (rule.is !== void 0) return finite(CONSTANTS[rule.is](fmt));
  if (rule.round !== void 0) return decoded(fmt, encode(fmt, readNumber(rule.round)));
  if (rule.ulp !== void 0) return finite(ulp(fmt, encode(fmt, readNumber(rule.ulp))));
  if (rule.sum !== void 0) return sumOf(fmt, readNumber(rule.sum), rule.times);
  if (rule.scale !== void 0) return scaleOf(fmt, readNumber(rule.of).magnitude, rule.scale === "least" ? -1 : 1);
  return void 0;
}
function accepts(rule, answer) {
  if (rule.between) {
    const [low, high] = rule.between.map((text) => readNumber(text));
    return atMost(low, answer) && atMost(answer, high);
  }
  if (rule.class !== void 0) return classOf(formatOf(rule), answer) === rule.class;
  if (rule.becomes !== void 0) {
    const isGiven = answer.kind === "finite" && answer.magnitude.numerator !== 0n;
    return isGiven && classOf(formatOf(rule), answer) === rule.becomes;
  }
  const right2 = target(rule);
  if (!right2) return false;
  if (rule.within !== void 0 && right2.kind === "finite" && answer.kind === "finite") {
    const error = magnitudeOf(subtract(signed(answer), signed(right2)));
    return compare(error, multiply(signed(readNumber(rule.within)), right2.magnitude)) <= 0;
  }
  return same(right2, answer);
}
function classOf(fmt, answer) {
  try {
    return classify(fmt, encode(fmt, answer));
  } catch (error) {
    if (error instanceof InputError) return void 0;
    throw error;
  }
}
function sumOf(fmt, number, times) {
  const x = exact(fmt, encode(fmt, number));
  let total = rational(0n);
  for (let i = 0; i < times; i += 1) {
    const code = encode(fmt, finite(add(total, x)));
    if (!isFinite(fmt, code)) return decoded(fmt, code);
    const next = exact(fmt, code);
    if (compare(next, total) === 0) break;
    total = next;
  }
  return finite(total);
}
function scaleOf(fmt, magnitude, step) {
  const survives = (exponent2) => {
    const code = roundMagnitude(fmt, multiply(magnitude, power(2n, exponent2)));
    return code > 0n && code <= fmt.maxCode;
  };
  let exponent = -floorLog2(magnitude);
  while (survives(exponent + step)) exponent += step;
  return finite(power(2n, exponent));
}

// mixwidgets/widgets/exercise/question.ts
function verdictOf(question, answer) {
  if (question.kind === "choice") return ofOption(question, answer);
  const number = numberOf(question, answer);
  if (accepts(question.rule, number)) return right(question);
  const known2 = question.mistakes.find((mistake) => accepts(mistake.if, number));
  return { isRight: false, says: known2?.says ?? question.hint, isHint: !known2 };
}
function ofOption(question, answer) {
  const { rule } = question;
  const isRight = rule.option === void 0 ? accepts(rule, readNumber(answer, formatOf(rule))) : answer === rule.option;
  if (isRight) return right(question);
  const says = question.options.find((option) => option.answer === answer)?.says;
  return { isRight, says: says ?? question.hint, isHint: false };
}
function right(question) {
  return { isRight: true, says: question.explanation, isHint: false };
}
function numberOf({ kind, rule }, answer) {
  const fmt = formatOf(rule);
  return kind === "bits" && fmt ? decoded(fmt, fmt.toCode(answer)) : readNumber(answer, fmt);
}
function isAnswer(question, answer) {
  if (question.kind === "choice") return question.options.some((option) => option.answer === answer);
  try {
    return numberOf(question, answer) !== null;
  } catch {
    return false;
  }
}

// mixwidgets/widgets/exercise/record.ts
var MOST_STEPS = 100;
var LONGEST_ANSWER = 100;
function readRecord(question, text) {
  const lines = text === "" ? [] : text.split("\n");
  if (lines.length > MOST_STEPS) return null;
  const steps = [];
  for (const line2 of lines) {
    const step = isOver(steps) ? null : stepOf(question, line2, steps);
    if (!step) return null;
    steps.push(step);
  }
  return steps;
}
function stepOf(question, line2, before) {
  const told = isHintTold(before);
  if (before.length > 0 && line2 === "!") return { kind: "shown", attempt: null, tellsHint: false };
  if (before.length > 0 && line2 === "?" && !told) return { kind: "hint", attempt: null, tellsHint: true };
  const answer = line2.slice(1);
  if (!line2.startsWith("=") || [...answer].length > LONGEST_ANSWER || !isAnswer(question, answer)) return null;
  const attempt2 = { answer, ...verdictOf(question, answer) };
  return { kind: "attempt", attempt: attempt2, tellsHint: !told && attempt2.isHint };
}
function isOver(steps) {
  return steps.at(-1)?.kind === "shown" || isSolved(steps);
}
function isSolved(steps) {
  return attemptsOf(steps).some(({ isRight }) => isRight);
}
function isHintTold(steps) {
  return steps.some(({ tellsHint }) => tellsHint);
}
function attemptsOf(steps) {
  return steps.flatMap(({ attempt: attempt2 }) => attempt2 ?? []);
}

// mixwidgets/widgets/exercise/words.ts
function strong(text) {
  return nodes(marked(text));
}
function said(question, steps) {
  const last = attemptsOf(steps).at(-1);
  if (!last) return [];
  if (isOver(steps)) {
    const example = question.example === "" || isSolved(steps) ? [] : [paragraph(pieces("exercise.example", { example: question.example }))];
    return [begun(isSolved(steps) ? "exercise.right" : "exercise.the_answer", question.explanation), ...example];
  }
  const hint = isHintTold(steps) && !last.isHint ? [begun("exercise.the_hint", question.hint)] : [];
  return [begun("exercise.not_yet", last.says), ...hint];
}
function begun(key, text) {
  return paragraph([...pieces(key), { text: " ", strong: false }, ...marked(text)]);
}
function paragraph(words) {
  return h("p", {}, ...nodes(words));
}
function nodes(words) {
  return words.map(({ text, strong: strong2 }) => strong2 ? h("strong", {}, text) : text);
}

// mixwidgets/widgets/exercise/fields.ts
function answerField(question) {
  const fmt = formatOf(question.rule);
  if (question.kind === "choice") return choice(question.options);
  return question.kind === "bits" && fmt ? bits(fmt) : line(fmt !== void 0);
}
function line(hasFormat) {
  const id = uniqueId("prediction");
  const note = h("p", { id: uniqueId("note"), class: "mw-note" }, t(hasFormat ? "exercise.how_or_code" : "exercise.how"));
  const input = h("input", {
    id,
    type: "text",
    class: "mw-exercise-line",
    maxlength: LONGEST_ANSWER,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": note.id
  });
  return {
    element: h("div", { class: "mw-stack-tight" }, h("label", { for: id, class: "mw-muted" }, t("exercise.prediction")), input, note),
    read: () => input.value.trim(),
    show: (answer) => {
      input.value = answer;
    },
    allow: (isOpen) => set(input, { readonly: !isOpen }),
    focus: () => input.focus(),
    refuse: (errorId) => set(input, { "aria-invalid": errorId !== "" && "true", "aria-describedby": `${errorId} ${note.id}`.trim() })
  };
}
function choice(options) {
  const name = uniqueId("options");
  const inputs = options.map(({ answer }) => h("input", { type: "radio", name, value: answer }));
  const rows = options.map(({ text }, i) => h("label", {}, inputs[i], h("span", {}, ...strong(text))));
  const element = h("fieldset", { class: "mw-exercise-options" }, h("legend", { class: "mw-muted" }, t("exercise.prediction")), ...rows);
  const checked = () => inputs.find((input) => input.checked);
  return {
    element,
    read: () => checked()?.value ?? "",
    show: (answer) => {
      for (const input of inputs) input.checked = input.value === answer;
    },
    allow: (isOpen) => {
      for (const input of inputs) set(input, { disabled: !isOpen });
    },
    focus: () => (checked() ?? inputs[0])?.focus(),
    refuse: (errorId) => set(element, { "aria-describedby": errorId || void 0 })
  };
}
function bits(fmt) {
  const last = (1n << BigInt(fmt.bits)) - 1n;
  let code = 0n;
  let before = code;
  let isOpen = true;
  const become = (wanted) => {
    if (isOpen) code = wanted & last;
    grid.show(fmt, code);
  };
  const flip = (position) => become(code ^ 1n << BigInt(position));
  const grid = bitGrid({
    flip,
    step: (direction) => become(code + BigInt(direction) + last + 1n),
    setField: (low, width, value) => become(code & ~((1n << BigInt(width)) - 1n << BigInt(low)) | value << BigInt(low)),
    stroke: {
      start: () => {
        before = code;
      },
      paint: flip,
      cancel: () => become(before)
    }
  });
  grid.show(fmt, code);
  grid.element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
  });
  return {
    element: h("div", { class: "mw-stack-tight mw-exercise-bits" }, h("p", { class: "mw-muted" }, t("exercise.prediction")), grid.element),
    read: () => fmt.toHex(code),
    show: (answer) => {
      code = answer === "" ? 0n : fmt.toCode(answer);
      grid.show(fmt, code);
    },
    allow: (wanted) => {
      isOpen = wanted;
      set(grid.element, { "aria-readonly": !isOpen && "true" });
    },
    focus: () => grid.element.querySelector("[role=switch][tabindex='0']")?.focus(),
    refuse: () => {
    }
    // every code is an answer
  };
}

// mixwidgets/widgets/bit_editor/copies.ts
async function copy(text, shown3) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown3);
    return false;
  }
}

// mixwidgets/widgets/exercise/report.ts
function report(question, steps) {
  const { id, lesson, report: words } = question;
  const lines = [fill(words.title, { id, lesson }), plain(question.question)];
  let number = 0;
  for (const { attempt: attempt2, tellsHint } of steps) {
    if (attempt2) {
      number += 1;
      lines.push(fill(words[attempt2.isRight ? "right" : "wrong"], { number, answer: shown2(question, attempt2.answer) }));
    }
    if (tellsHint) lines.push(words.hint);
  }
  const end = isSolved(steps) ? "solved" : isOver(steps) ? "shown" : "open";
  lines.push(fill(words[end], { count: attemptsOf(steps).length }), words.note);
  return lines.join("\n");
}
function shown2({ kind, options, rule }, answer) {
  if (kind === "choice") return plain(options.find((option) => option.answer === answer).text);
  const fmt = formatOf(rule);
  if (kind !== "bits" || !fmt) return answer;
  const code = fmt.toCode(answer);
  return `${fmt.toHex(code)} (${shortest(fmt, code)})`;
}
function plain(text) {
  return text.replaceAll("*", "");
}

// mixwidgets/widgets/exercise/for_teacher.ts
function forTeacher(question) {
  const text = h("pre", { class: "mw-exercise-report", tabindex: 0, role: "region", "aria-label": t("exercise.teacher") });
  const button = h("button", { type: "button" }, t("exercise.copy"));
  const done = h("span", { class: "mw-note", role: "status" });
  button.addEventListener("click", async () => {
    setText(done, t(await copy(text.textContent, text) ? "exercise.copied" : "bits.selected"));
  });
  const element = h(
    "details",
    { class: "mw-exercise-teacher" },
    h("summary", {}, t("exercise.teacher")),
    text,
    h("div", { class: "mw-row" }, button, done)
  );
  const show2 = (steps) => {
    setText(text, report(question, steps));
    setText(done, "");
  };
  return { element, show: show2 };
}

// mixwidgets/widgets/exercise/page.ts
function render({ model, el }) {
  const question = model.get("_question");
  const { root, head } = card(el, t("exercise.title"));
  root.classList.add("mw-exercise");
  head.firstElementChild.append(h("span", { class: "mw-muted mw-exercise-id" }, ` · ${question.id}`));
  const state = h("span", { class: "mw-exercise-state" });
  head.append(state);
  const field = answerField(question);
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const check2 = action(t("exercise.check"), () => predict(), "mw-primary");
  const hint = action(t("exercise.hint"), () => append("?"));
  const show2 = action(t("exercise.show"), () => append("!"));
  const again = action(t("exercise.again"), () => {
    send("");
    field.focus();
  });
  const form = h("form", { class: "mw-stack" }, field.element, error, h("div", { class: "mw-row" }, check2.element, hint.element, show2.element, again.element));
  check2.element.type = "submit";
  form.addEventListener("submit", (event) => event.preventDefault());
  const callout = h("div", { class: "mw-callout mw-stack-tight" });
  const spoken = h("div", { role: "status" }, callout);
  const attempts = h("ol", { "aria-label": t("exercise.attempts"), class: "mw-exercise-attempts" });
  const teacher = forTeacher(question);
  root.append(h("p", { class: "mw-exercise-question" }, ...strong(question.question)), form, spoken, attempts, teacher.element);
  let drawn;
  function steps() {
    return readRecord(question, model.get("_record"));
  }
  function predict() {
    const answer = field.read();
    const wrong = answer === "" ? t(question.kind === "choice" ? "exercise.choose" : "exercise.write") : attempt(() => verdictOf(question, answer));
    setText(error, wrong);
    field.refuse(wrong && error.id);
    if (wrong) return field.focus();
    const last = (steps() ?? []).at(-1)?.attempt?.answer;
    if (answer !== last) append(`=${answer}`);
  }
  function append(step) {
    const record = steps() ? model.get("_record") : "";
    send(record === "" ? step : `${record}
${step}`);
  }
  function send(record) {
    model.set("_record", record);
    model.save_changes();
  }
  function draw() {
    const found = steps();
    const done = found ?? [];
    setText(error, found ? "" : t("exercise.unreadable"));
    field.refuse("");
    const tried = attemptsOf(done);
    const ends = isOver(done);
    if (model.get("_record") !== drawn) field.show(ends && !isSolved(done) ? theAnswer() : tried.at(-1)?.answer ?? "");
    drawn = model.get("_record");
    field.allow(!ends);
    const first = tried.length > 0 ? "" : t("exercise.predict_first");
    const last = ends ? t("exercise.over") : "";
    check2.allow(last || (done.length >= MOST_STEPS - 1 ? t("exercise.enough") : ""));
    hint.allow(first || last || (isHintTold(done) ? t("exercise.hint_told") : done.length >= MOST_STEPS - 1 ? t("exercise.enough") : ""));
    show2.allow(first || last);
    again.element.hidden = !ends && found !== null;
    const word = isSolved(done) ? t("exercise.solved") : ends ? t("exercise.shown") : tried.length > 0 ? t("exercise.attempt", { number: tried.length }) : "";
    setText(state, word);
    set(state, { "data-tone": isSolved(done) ? "right" : void 0 });
    callout.replaceChildren(...said(question, done));
    set(callout, { hidden: tried.length === 0, "data-tone": isSolved(done) ? "right" : ends ? "told" : void 0 });
    attempts.replaceChildren(...tried.map(({ answer, isRight }) => h("li", { class: "mw-num" }, `${shown2(question, answer)} `, mark(isRight))));
    set(attempts, { hidden: tried.length === 0 });
    set(teacher.element, { hidden: tried.length === 0 });
    teacher.show(done);
  }
  function theAnswer() {
    const fmt = formatOf(question.rule);
    const right2 = target(question.rule);
    if (question.kind === "bits" && fmt && right2) return fmt.toHex(encode(fmt, right2));
    if (question.kind === "choice") return question.options.find(({ answer }) => verdictOf(question, answer).isRight)?.answer ?? "";
    return attemptsOf(steps() ?? []).at(-1)?.answer ?? "";
  }
  model.on("change:_record", draw);
  draw();
  return () => {
    model.off("change:_record", draw);
    root.remove();
  };
}
function mark(isRight) {
  return h(
    "span",
    { class: "mw-exercise-mark", "data-tone": isRight ? "right" : void 0 },
    h("span", { "aria-hidden": "true" }, isRight ? "✓" : "✗"),
    h("span", { class: "mw-hidden" }, t(isRight ? "exercise.is_right" : "exercise.is_wrong"))
  );
}
function accept(wanted, get) {
  const question = get("_question");
  return wanted.exercise === question.id && readRecord(question, wanted._record) ? wanted : null;
}
var page_default = { render, accept };
export {
  page_default as default
};
