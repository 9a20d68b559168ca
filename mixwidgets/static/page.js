// ui/dom.ts
function setText(element2, text) {
  if (element2.textContent !== text) element2.textContent = text;
}

// messages/en.json
var en_default = {
  "bits.title": "Bit editor",
  "bits.grid": "Bits, sign to fraction",
  "bits.sign": "sign",
  "bits.exponent": "exponent",
  "bits.fraction": "fraction",
  "bits.on": "on",
  "bits.off": "off",
  "bits.sign_bit": "sign bit, {state}",
  "bits.exponent_bit": "exponent bit {number} of {width}, weight {weight}, {state}",
  "bits.fraction_bit": "fraction bit {number} of {width}, weight {weight}, {state}",
  "bits.exponent_number": "biased exponent",
  "bits.fraction_number": "fraction as an integer",
  "bits.field_range": "{came} does not fit: this field holds whole numbers from 0 to {last}",
  "bits.all_ones": "all ones",
  "bits.reserved": "reserved",
  "bits.rounding": "rounding",
  "bits.overflow_policy": "overflow",
  "bits.formula_ones": "exponent all ones",
  "bits.formula_and": "and fraction",
  "bits.class_zero": "zero",
  "bits.class_subnormal": "subnormal",
  "bits.class_normal": "normal",
  "bits.class_infinity": "infinity",
  "bits.class_nan": "NaN, not a number",
  "bits.quiet": "quiet",
  "bits.signaling": "signaling",
  "bits.largest": "largest finite {format}",
  "bits.lowest": "lowest finite {format}",
  "bits.smallest_normal": "smallest normal {format}",
  "bits.largest_subnormal": "largest subnormal {format}",
  "bits.smallest_subnormal": "smallest subnormal {format}",
  "bits.negative_zero": "negative zero",
  "bits.ulp": "ulp {ulp}",
  "bits.exactly": "exactly",
  "bits.all_digits": "All digits",
  "bits.digits": "all {count} significant digits",
  "bits.more": "more …",
  "bits.more_formats": "More formats",
  "bits.step_down": "− ulp",
  "bits.step_up": "+ ulp",
  "bits.undo": "undo",
  "bits.redo": "redo",
  "bits.reset": "reset",
  "bits.presets": "presets",
  "bits.third": "1/3, to 25 digits",
  "bits.copy": "copy",
  "bits.copy_shortest": "shortest",
  "bits.copy_exact": "exact",
  "bits.copy_code": "code",
  "bits.copy_hex_float": "hex float",
  "bits.copy_numpy": "NumPy",
  "bits.copy_torch": "torch",
  "bits.copy_c": "C",
  "bits.copied": "copied as {label}",
  "bits.selected": "No clipboard here: the text is selected, press Ctrl+C or ⌘C.",
  "bits.keys": "keys: ← → move · space flips · ↑ ↓ one ulp · Ctrl+Z undo · drag to paint",
  "bits.midpoint": "midpoint {midpoint}",
  "bits.line": "Number line: {marks}",
  "bits.line_nan": "NaN has no place on the number line",
  "bits.is_value": "*{value} is what these bits say*, exactly. Its neighbours in {format} are {previous} and {next}.",
  "bits.is_infinity": "*These bits are {value}*: the exponent bits are all ones and the fraction is 0. Rounding gets here from *{midpoint}* on.",
  "bits.is_nan": "*These bits are NaN*: the exponent bits are all ones and the fraction is not 0. The fraction’s first bit says quiet, the others may carry anything.",
  "bits.exact": "*{typed} is a {format}*: nothing is rounded. Its neighbours are {previous} and {next}.",
  "bits.nearest": "*{typed} is not a {format}.* It lies between {below} and {above}, nearer to *{value}* (error {error}).",
  "bits.nearest_edge_tie": "*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins just past *{midpoint}*, the midpoint.",
  "bits.nearest_edge": "*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. It is nearer to {value} (error {error}). Overflow begins at *{midpoint}*, the midpoint.",
  "bits.tie": "*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: *{value}* (error {error}).",
  "bits.tie_zero": "*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. A tie goes to the even neighbour, whose last bit is 0: it underflows to *zero* (error {error}).",
  "bits.underflow": "*{typed} is not a {format}.* It lies between {below} and {above}, and nearer to 0: it underflows to *zero* (error {error}). Half of the smallest subnormal is {midpoint}.",
  "bits.overflow": "*{typed} overflows to {infinity}.* The largest finite {format} on this side is {inner}; the next step would be {outer}. From *{midpoint}*, the midpoint, rounding to nearest gives infinity.",
  "bits.overflow_tie": "*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. A tie goes to the even neighbour, and that is the step: overflow begins here.",
  "bits.would_be_infinity": "which would be infinity",
  "bits.would_be_nan": "whose code is NaN’s",
  "bits.would_be_outside": "which has no code",
  "bits.nothing_below": "nothing below",
  "bits.nothing_above": "nothing above",
  "bits.tie_away": "*{typed} is not a {format}.* It lies exactly halfway between {below} and {above}. With {rounding} a tie goes to the neighbour farther from zero: *{value}* (error {error}).",
  "bits.direction": "*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}, so that the nearer does not matter: *{value}* (error {error}).",
  "bits.direction_edge": "*{typed} is not a {format}.* It lies between {inner} and the next step, {outer}, {outside}. Rounding is {rounding}: *{value}* (error {error}).",
  "bits.odd": "*{typed} is not a {format}.* It lies between {below} and {above}. Rounding is {rounding}: it takes the neighbour whose code is odd, *{value}* (error {error}).",
  "bits.overflow_tie_away": "*{typed} overflows to {infinity}.* It lies exactly halfway between {inner}, the last finite {format}, and the next step, {outer}. With {rounding} a tie goes away from zero: overflow begins here.",
  "bits.overflow_nan": "*{typed} overflows to NaN.* {format} has no infinity. Its largest finite number on this side is {inner}; the next step would be {outer}, and *{midpoint}* is the midpoint. The overflow policy is {policy}.",
  "bits.overflow_stays": "*{typed} is out of range and becomes {value}.* The largest finite {format} on this side is {inner}; the next step would be {outer}, and *{midpoint}* is the midpoint. The overflow policy, {policy}, stops here.",
  "bits.overflow_directed": "*{typed} overflows to {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, which leads past it, and the overflow policy is {policy}.",
  "bits.overflow_inward": "*{typed} is out of range and becomes {value}.* The largest finite {format} on this side is {inner}. Rounding is {rounding}, and the overflow policy {policy}: neither leads past it.",
  "bits.no_infinity": "*{typed} becomes {value}*: {format} has no infinity, and the overflow policy is {policy}.",
  "bits.saturated": "*{typed} becomes {value}*: the overflow policy, {policy}, stops at the largest finite {format}.",
  "bits.no_zero": "*{typed} becomes {value}*: {format} has no zero; its smallest number is {smallest}. The overflow policy is {policy}.",
  "bits.no_negative": "*{typed} becomes {value}*: {format} has no negative numbers. The overflow policy is {policy}.",
  "bits.too_small": "*{typed} becomes {value}*: {format} has nothing below {smallest}, not even zero.",
  "bits.typed_infinity_code": "*{value} needs no rounding*: {format} keeps the code {code} for it.",
  "bits.typed_nan_code": "*NaN needs no rounding*: {format} keeps the code {code} for it.",
  "bits.is_infinity_code": "*These bits are {value}*: {format} keeps the code {code} for it. Rounding to nearest gets here from about *{midpoint}* on.",
  "bits.is_nan_code": "*These bits are NaN*: {format} keeps the code {code} for it.",
  "bits.pattern": "*{typed} is a bit pattern*: it is taken as the code itself, and nothing is rounded. In {format} these bits are {value}.",
  "bits.typed_infinity": "*{value} needs no rounding*: {format} has a code for it, with exponent bits all ones and the fraction 0.",
  "bits.typed_nan": "*NaN needs no rounding*: {format} has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, {code}.",
  "line.title": "Rounding microscope",
  "line.board": "Number line",
  "line.format": "format",
  "line.keys": "keys: ← → move · + − zoom · 0 fits · ↑ ↓ one ulp; or drag and wheel",
  "line.zoom_in": "zoom in",
  "line.zoom_out": "zoom out",
  "line.zoom_in_sign": "+",
  "line.zoom_out_sign": "−",
  "line.left": "move left",
  "line.right": "move right",
  "line.left_sign": "←",
  "line.right_sign": "→",
  "line.fit": "fit",
  "line.whole": "whole range",
  "line.below": "neighbour below",
  "line.above": "neighbour above",
  "line.midpoint": "midpoint",
  "line.this": "this value",
  "line.taken": "taken",
  "line.even": "{code} · even, E",
  "line.odd": "{code} · odd, O",
  "line.even_letter": "E",
  "line.odd_letter": "O",
  "line.overflows": "beyond the range",
  "line.no_code": "no code: beyond the range",
  "line.turns": "here rounding turns",
  "line.one": "1 value in view",
  "line.count": "{count} values in view",
  "line.origin": "counted from {origin}",
  "line.nothing": "none of its marks",
  "line.described": "From {from} to {to}: {marks}. {rows}.",
  "blocks.title": "Block lab",
  "blocks.formats": "Block format",
  "blocks.rules": "Scale rule",
  "blocks.lost": "become 0",
  "blocks.lost_of": "{count} of {all}",
  "blocks.error": "relative error",
  "blocks.error_how": "‖error‖ / ‖values‖",
  "blocks.scale": "shared scale",
  "blocks.scale_of": "shared scale of block {block}",
  "blocks.scale_code": "= {value} · {format} code {code}",
  "blocks.scale_code_tensor": "= {value} ({format} code {code}) × tensor scale {tensor}",
  "blocks.bits": "bits per element",
  "blocks.bits_how": "{element} + {scale} / {size}",
  "blocks.sets": "*Element {element} sets the shared scale {scale}*: {lost}.",
  "blocks.sets_block": "*Element {element} sets the scale of block {block}, {scale}*: {lost}.",
  "blocks.zeros": "*All elements are 0*: the shared scale keeps its smallest value, {scale}.",
  "blocks.zeros_block": "*All elements of block {block} are 0*: its scale keeps its smallest value, {scale}.",
  "blocks.alone": "no other element is left to lose",
  "blocks.none_lost": "none of the {others} others becomes 0",
  "blocks.one_lost": "1 of the {others} others becomes 0",
  "blocks.some_lost": "{count} of the {others} others become 0",
  "blocks.clipped": "Element {element} itself is clipped: beyond {largest} × the scale there is nothing, so {value} becomes {result}.",
  "blocks.own_rule": "{format} has a rule of its own: scale = amax of the block / ({largest} × tensor scale), rounded to {scale}; tensor scale = amax of all / ({most} × {largest}).",
  "blocks.rule_FLOOR": "FLOOR: the exponent of amax less that of the largest element. What lies above the largest element is clipped.",
  "blocks.rule_CEIL": "CEIL: as FLOOR, and one more unless amax is a power of two. Nothing is clipped; every element may lose one bit.",
  "blocks.rule_RCEIL": "RCEIL: the least power of two at which amax does not exceed the largest element.",
  "blocks.rule_EVEN": "EVEN: amax is first rounded to the element’s fraction bits, then as FLOOR.",
  "blocks.plot": "Elements: outline the true value, fill what is stored",
  "blocks.row": "elements {from} to {to}",
  "blocks.true": "true value",
  "blocks.kind_rounded": "stored value",
  "blocks.kind_lost": "becomes 0",
  "blocks.kind_clipped": "clipped",
  "blocks.strip": "relative error of each, up to 100 %",
  "blocks.sets_mark": "max",
  "blocks.element": "element {element}",
  "blocks.now": "{value}, stored as {result}, error {error}",
  "blocks.value_of": "value of element {element}",
  "blocks.becomes": "stored as *{result}* · {element} code {code} · error {error} ({relative})",
  "blocks.reset": "reset",
  "blocks.keys": "drag a bar, or keys: ← → choose · ↑ ↓ change · page up, page down change more",
  "blocks.bad_value": "An element is a finite float32 number, such as 0.5 or -1e3; {came} came. {kept} stays.",
  "blocks.nothing": "nothing",
  "blocks.all": "All elements as numbers",
  "blocks.column_element": "element",
  "blocks.column_value": "value",
  "blocks.column_result": "stored as",
  "blocks.column_code": "code",
  "blocks.column_error": "error",
  "blocks.column_relative": "relative",
  "blocks.unreadable": "This block cannot be shown: it needs a known format and rule, and 16 or 32 finite elements. Run the cell again.",
  "common.formats": "Format",
  "common.value": "value",
  "common.code": "code",
  "page.address": "The address does not name anything that this page can show; it shows what it showed before.",
  "page.failed": "This page cannot be shown: {reason}",
  "code.form": "{text} is not a code; write it in hex, such as '0x{zeros}'",
  "code.range": "{text} is not a {format} code: it has {bits} bits, so codes end at {last}",
  "format.choice": "{field} must be one of {accepted}; {came} came",
  "format.empty": "no code is left for a finite number other than zero; give the format more bits or fewer special values",
  "format.ieee_pair": "an IEEE infinity and IEEE NaNs share one exponent, all ones; choose ieee for both or for neither",
  "format.ieee_width": "IEEE infinities and NaNs need at least 2 exponent bits and 1 fraction bit",
  "format.integer": "{field} must be a whole number from {low} to {high}; {came} came",
  "format.name": "a format needs a name of 1 to {limit} characters",
  "format.nan_place": "NaN can take the code of −0 only in a signed format that has a zero",
  "format.no_nan": "{format} has no NaN; give a number, or choose a format that has one",
  "format.no_sign": "{format} has no negative numbers and no NaN to say so; give a positive number, or let it saturate",
  "format.no_zero": "{format} has no zero and no NaN to say so; give a positive number, or let it saturate",
  "parse.binary": "{text} is not a number: after 0b only the digits 0 and 1 may stand",
  "parse.digits": "{text} is not a number: write it in plain digits, {candidate}",
  "parse.exponent": "the exponent of {text} is beyond ±{limit}; write inf or 0 instead",
  "parse.form": "{text} is not a number: write a decimal (0.1, 1e-8), a hex float (0x1p-3), a bit pattern (0x7C00, 0b1), inf or nan",
  "parse.hex_exponent": "{text} is not a number: a hex float ends in its exponent, such as 0x1.8p0",
  "parse.payload": "{text} is not a number: for a NaN with a payload write its code, such as 0x7E01",
  "parse.point": "{text} is not a number: write it with a decimal point, {candidate}",
  "parse.separators": "{text} is not a number: write it without separators, {candidate}",
  "parse.signed_pattern": "{text} is not a number: a bit pattern has no sign; write all its bits, or a hex float with a p, such as -0x1p3",
  "parse.too_long": "a value may have {limit} characters, not {length}",
  "lab.title": "Training lab",
  "lab.task": "task",
  "lab.recipe": "recipe",
  "lab.steps": "steps",
  "lab.seed": "seed",
  "lab.launch": "▶ Launch",
  "lab.stop": "■ Stop",
  "lab.nothing": "nothing",
  "lab.whole_number": "{label} takes a whole number from {low} to {high}; {came} came.",
  "lab.slow_launch": "The kernel has not answered yet. It may be busy with a cell: then the launch follows when the cell ends. If the kernel was restarted, run this widget’s cell again.",
  "lab.slow_stop": "The kernel has not answered yet. It may be busy with a cell: then the stop follows when the cell ends. If the kernel was restarted, its runs have ended with it: run this widget’s cell again.",
  "lab.no_kernel": "A saved page: the runs are as they were when it was saved, and there is no kernel to launch or stop one.",
  "lab.progress": "progress of the run",
  "lab.progress_none": "Choose a task and a recipe, then launch.",
  "lab.progress_starting": "starting: the run’s process is loading torch",
  "lab.progress_steps": "step {step} of {steps}",
  "lab.progress_rate": "{rate} steps/s",
  "lab.progress_left": "{time} left",
  "lab.progress_over": "step {step} of {steps} · {status}",
  "lab.newest_loss": "loss {loss}",
  "lab.newest_scale": "loss scale {scale}",
  "lab.newest_skipped": "{count} steps skipped",
  "lab.newest_skipped_one": "1 step skipped",
  "lab.status_queued": "starting",
  "lab.status_running": "running",
  "lab.status_interrupted": "interrupted",
  "lab.status_completed": "completed",
  "lab.status_stopped": "stopped",
  "lab.status_diverged": "diverged",
  "lab.status_out_of_memory": "out of memory",
  "lab.status_time_limit": "out of time",
  "lab.status_disk_full": "disk full",
  "lab.status_crashed": "crashed",
  "lab.device_cpu": "CPU, one thread",
  "lab.device_cuda": "GPU cuda",
  "lab.spoken_progress": "{name}: {percent} done, {time} left",
  "lab.spoken_status": "{name}: {status}",
  "lab.failure": "{name}: {status}. {message}",
  "lab.recipe_fp32": "Everything in FP32.",
  "lab.recipe_half": "{format} copies of FP32 master weights; forward and backward in {format}, softmax, loss and update in FP32.",
  "lab.recipe_unscaled": "No loss scale.",
  "lab.recipe_static": "The loss is scaled by {scale} throughout; a step whose gradients hold inf or NaN is skipped.",
  "lab.recipe_dynamic": "The loss scale starts at {scale}: × {backoff} after a skipped step, × {growth} after {interval} good steps in a row.",
  "lab.loss": "loss",
  "lab.loss_note": "of each step’s batch",
  "lab.loss_scale": "loss scale",
  "lab.loss_scale_note": "by step · ▼ step skipped",
  "lab.no_curves": "No run is selected.",
  "lab.no_scales": "None of these runs scales its loss.",
  "lab.loss_summary": "Loss by step.",
  "lab.loss_words": "{name}: from {first} to {last} at step {step}.",
  "lab.scale_summary": "Loss scale by step.",
  "lab.scale_words": "{name}: {scale}, {skipped} skipped.",
  "lab.run": "run",
  "lab.accuracy": "accuracy",
  "lab.skipped": "skipped",
  "lab.table_caption": "Accuracy and loss on held-out data",
  "lab.no_runs": "No runs yet.",
  "lab.seed_is": "seed {seed}",
  "lab.loss_weight_is": "loss weight {weight}",
  "explorer.title": "What a loss scale saves",
  "explorer.subtitle": "{format} · {values} gradients of {tensors} tensors",
  "explorer.subtitle_one": "{format} · {values} gradients of 1 tensor",
  "explorer.class_flushed": "flushed to zero",
  "explorer.class_subnormal": "subnormal (fewer bits)",
  "explorer.class_normal": "normal",
  "explorer.class_overflow": "overflow",
  "explorer.zone_flushed": "flushed to zero",
  "explorer.zone_subnormal": "subnormal",
  "explorer.zone_normal": "normal",
  "explorer.zone_overflow": "overflow",
  "explorer.short_flushed": "flushed",
  "explorer.short_subnormal": "sub.",
  "explorer.short_normal": "norm.",
  "explorer.short_overflow": "over",
  "explorer.axis": "|gradient| × S",
  "explorer.gathered": "end bars hold all beyond",
  "explorer.scale": "2^{log2} = {value}",
  "explorer.slider": "loss scale",
  "explorer.field": "exponent of the loss scale",
  "explorer.best": "best here:",
  "explorer.use_it": "use it",
  "explorer.in_use": "in use",
  "explorer.reason": "flushes {share}; headroom {headroom} binades before overflow",
  "explorer.reason_tight": "flushes {share}; no scale leaves 4 binades of headroom, this one {headroom}",
  "explorer.bad_exponent": "The exponent is a whole number from {low} to {high}; {came} came. 2^{kept} stays.",
  "explorer.nothing": "nothing",
  "explorer.by_tensor": "By tensor, most lost first",
  "explorer.show_all": "Show all {count} tensors",
  "explorer.show_few": "Show the first {count}",
  "explorer.row_flushed": "{share} flushed",
  "explorer.row_overflow": "{flushed} · {share} over",
  "explorer.row_empty": "nothing finite but zeros",
  "explorer.zeros": "Shares are of the finite gradients that are not zero. Exact zeros stand apart: {share} of all ({zero} of {count}) were zero before rounding and are not counted as flushed.",
  "explorer.after_the_fact": "Scaling recorded gradients shows what casting g × S to {format} does; it does not model rounding inside a {format} backward pass. Flushed is not always harm: look at the loss.",
  "explorer.not_finite": "{inf} infinite and {nan} NaN gradients were recorded; no loss scale mends them.",
  "explorer.without": "Without a gradient, and left out: {names}.",
  "explorer.unreadable": "These gradients cannot be shown: {reason}. Run the cell again.",
  "explorer.unknown_format": "{came} cannot be shown; formats are {accepted}."
};

// ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill(en_default[key], args);
}
function fill(template, args) {
  return template.replace(PLACEHOLDER, (whole, name) => Object.hasOwn(args, name) ? String(args[name]) : whole);
}

// host/address.ts
var LIMIT = 4e4;
var READ = {
  string: (text) => text,
  number: (text) => /^-?[0-9]{1,15}$/.test(text) ? Number(text) : void 0,
  boolean: (text) => text === "true" ? true : text === "false" ? false : void 0,
  code: (text) => /^(?:0[xX])?[0-9A-Fa-f]+$/.test(text) ? "0x" + text.replace(/^0[xX]/, "").toUpperCase() : void 0
};
function writeState(get, defaults) {
  const told = Object.entries(defaults).filter(([name, left]) => left === null || get(name) !== left);
  return told.map(([name]) => `${keyOf(name)}=${encodeURIComponent(written(name, get(name)))}`).join("&");
}
function readState(address, get, defaults) {
  if (address.length > LIMIT) return null;
  const names = new Map(Object.keys(defaults).map((name) => [keyOf(name), name]));
  const found = /* @__PURE__ */ new Map();
  for (const pair of address.split("&")) {
    const [, key, text] = (/^([^=]*)=(.*)$/s.exec(pair) ?? []).map(decoded);
    const name = key === void 0 ? void 0 : names.get(key);
    if (name === void 0 || text === void 0 || found.has(name)) return null;
    const value = READ[name === "code" ? "code" : typeof get(name)]?.(text);
    if (value === void 0) return null;
    found.set(name, value);
  }
  return Object.fromEntries(Object.entries(defaults).map(([name, left]) => [name, found.get(name) ?? left ?? get(name)]));
}
function keyOf(name) {
  return name.replace(/^_/, "");
}
function written(name, value) {
  return name === "code" ? String(value).slice(2).toLowerCase() : String(value);
}
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return void 0;
  }
}

// host/model.ts
function pageModel(found, saved) {
  const state = new Map(Object.entries(withBytes(found)));
  const handlers = /* @__PURE__ */ new Map();
  const emit = (event, ...args) => {
    for (const handler of [...handlers.get(event) ?? []]) handler(...args);
  };
  return {
    get: (name) => state.get(name),
    set(name, value) {
      if (Object.is(state.get(name), value)) return;
      state.set(name, value);
      emit(`change:${name}`);
    },
    save_changes: saved,
    /** A message to the kernel: the answer says that there is none. Later, as a kernel's would come. */
    send(_) {
      queueMicrotask(() => emit("msg:custom", { kind: "no_kernel" }, []));
    },
    on(event, handler) {
      handlers.set(event, (handlers.get(event) ?? /* @__PURE__ */ new Set()).add(handler));
    },
    off(event, handler) {
      handlers.get(event)?.delete(handler);
    }
  };
}
function withBytes({ state, buffers }) {
  for (const { path, data: data2 } of buffers) {
    let holder = state;
    for (const step of path.slice(0, -1)) holder = holder[step];
    const bytes = Uint8Array.from(atob(data2), (letter) => letter.charCodeAt(0));
    holder[path.at(-1)] = new DataView(bytes.buffer);
  }
  return state;
}

// host/page.ts
var element = (id) => document.getElementById(id);
var data = JSON.parse(element("data").textContent);
var note = element("note");
var model = pageModel(data, writeAddress);
function writeAddress() {
  setText(note, "");
  try {
    history.replaceState(null, "", "#" + writeState(model.get, data.defaults));
  } catch {
  }
}
function follow(accept) {
  const text = location.hash.slice(1);
  if (text === "") return;
  const wanted = readState(text, model.get, data.defaults);
  const traits = wanted && accept ? accept(wanted, model.get) : wanted;
  for (const [name, value] of Object.entries(traits ?? {})) model.set(name, value);
  setText(note, traits ? "" : t("page.address"));
}
async function show() {
  const address = URL.createObjectURL(new Blob([data.module], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  URL.revokeObjectURL(address);
  follow(widget.accept);
  await widget.render({ model, el: element("widget"), signal: new AbortController().signal });
  window.addEventListener("hashchange", () => follow(widget.accept));
}
Object.assign(window, { model });
show().catch((error) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
});
