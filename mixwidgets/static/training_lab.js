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
    const text = value2 === true ? "" : String(value2);
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
var en_default = /* messages */ {"common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","lab.title":"Training lab","lab.task":"task","lab.recipe":"recipe","lab.steps":"steps","lab.recipes":"recipes to launch","lab.several":"several","lab.several_hint":"tick several recipes to launch one run of each","lab.several_chosen":"{count} recipes","lab.no_recipe":"A launch needs one recipe at least: tick another before you take this one away.","lab.device":"device","lab.device_is_auto":"GPU, else CPU","lab.device_is_cpu":"one thread a run","lab.device_is_cuda":"one run at a time","lab.steps_note":"weight updates","lab.seeds":"seeds","lab.seeds_note":"first weights, data order; several: 0-4 or 0, 3, 7","lab.recipes_one":"1 recipe","lab.recipes_many":"{count} recipes","lab.seeds_one":"1 seed","lab.seeds_count":"{count} seeds","lab.runs_made":"{recipes} × {seeds}: those for which no device is free wait in line.","lab.launch":"▶ Launch","lab.launch_several":"▶ Launch {count} runs","lab.stop":"■ Stop","lab.stop_all":"Stop all","lab.stops":"stops {name}","lab.nothing_runs":"No run of this folder goes on.","lab.watched_goes_on":"A watched loop is ended where it runs.","lab.asking":"The kernel has been asked.","lab.nothing":"nothing","lab.steps_wrong":"steps takes a whole number from {low} to {high}; {came} came.","lab.seeds_wrong":"seeds takes whole numbers from 0 to {high}, such as 0, 0-4 or 0, 3, 7; {came} came.","lab.seeds_backwards":"A range of seeds goes up, such as {right}; {came} came.","lab.seeds_many":"seeds takes {most} at most, since each is a run; {came} came. Take a part of them now.","lab.slow_launch":"The kernel has not answered yet. It may be busy with a cell: then the launch follows when the cell ends. If the kernel was restarted, run this widget’s cell again.","lab.slow_stop":"The kernel has not answered yet. It may be busy with a cell: then the stop follows when the cell ends. If the kernel was restarted, its runs have ended with it: run this widget’s cell again.","lab.slow":"The kernel has not answered yet. It may be busy with a cell: then the answer follows when the cell ends. If the kernel was restarted, run this widget’s cell again.","lab.no_saved_curves":"Without a kernel there are only the curves that were drawn when this was saved; not those of {names}.","lab.no_kernel":"A saved page: the runs are as they were when it was saved, and there is no kernel to launch or stop one.","lab.progress":"progress of the run","lab.progress_none":"Choose a task and a recipe, then launch.","lab.progress_starting":"starting: the run’s process is loading torch","lab.progress_steps":"step {step} of {steps}","lab.progress_rate":"{rate} steps/s","lab.progress_left":"{time} left","lab.progress_watched":"step {step}","lab.progress_watched_over":"step {step} · {status}","lab.watched":"a loop of one’s own, watched","lab.progress_over":"step {step} of {steps} · {status}","lab.waiting":"{count} in line","lab.memory":"memory of a step {total}: {kinds}","lab.memory_weights":"weights","lab.memory_master":"master weights","lab.memory_gradients":"gradients","lab.memory_optimizer":"optimiser","lab.memory_activations":"activations","lab.newest_loss":"loss {loss}","lab.newest_scale":"loss scale {scale}","lab.newest_skipped":"{count} steps skipped","lab.newest_skipped_one":"1 step skipped","lab.status_queued":"starting","lab.status_queued_at":"queued ({place})","lab.ordinal_one":"{n}st","lab.ordinal_two":"{n}nd","lab.ordinal_few":"{n}rd","lab.ordinal_other":"{n}th","lab.status_running":"running","lab.status_interrupted":"interrupted","lab.status_completed":"completed","lab.status_stopped":"stopped","lab.status_diverged":"diverged","lab.status_out_of_memory":"out of memory","lab.status_time_limit":"out of time","lab.status_disk_full":"disk full","lab.status_crashed":"crashed","lab.device_cpu":"CPU, one thread","lab.device_cuda":"GPU cuda","lab.products_widened":"{format} storage, float32 products","lab.products_native":"native {format} products","lab.products_autocast":"torch.autocast to {format}","lab.products_emulated":"torch.autocast to {format}, whose products this CPU emulates, slowly","lab.products_watched":"the watched loop’s own","lab.products_operands":"operands of linear layers rounded to {format}","lab.spoken_progress":"{name}: {percent} done, {time} left","lab.spoken_status":"{name}: {status}","lab.failure":"{name}: {status}. {message}","lab.group_float32":"FP32","lab.group_float16":"FP16","lab.group_bfloat16":"BF16","lab.group_operands":"FP8 and FP4 operands","lab.group_amp":"torch.amp","lab.brief_masters":"{format} copies of FP32 weights","lab.brief_nearest":"{format} weights, rounded to nearest","lab.brief_stochastic":"{format} weights, rounded by chance","lab.brief_half_optimizer":"{format} weights and optimiser","lab.brief_amp":"torch.autocast in {format}","lab.brief_naive_softmax":"naive softmax in {format}","lab.brief_unscaled":"no loss scale","lab.brief_static":"loss × {scale}","lab.brief_dynamic":"loss scale that adapts","lab.brief_operands":"linear layers in {forward}","lab.brief_operands_two":"linear layers in {forward} and {backward}","lab.brief_not_scaled":"not scaled","lab.brief_current":"scaled by the largest value","lab.brief_delayed":"scaled by earlier steps’ largest value","lab.brief_operands_stochastic":"gradients rounded by chance","lab.recipe_fp32":"Everything in FP32.","lab.recipe_half":"{format} copies of FP32 master weights; forward and backward in {format}, softmax, loss and update in FP32.","lab.recipe_amp":"torch.autocast in {format}: torch itself chooses which operations stay in FP32.","lab.recipe_no_masters":"The weights themselves are {format}, without FP32 masters; softmax and loss in FP32.","lab.recipe_nearest":"The optimiser computes in FP32, and each updated weight is rounded to the nearest {format} number: small updates are lost.","lab.recipe_stochastic":"The optimiser computes in FP32, and each updated weight is rounded up or down by chance: small updates survive on average.","lab.recipe_half_optimizer":"The optimiser’s arithmetic and its state are {format} too.","lab.recipe_operands":"The linear layers multiply numbers rounded to {forward}.","lab.recipe_operands_two":"The linear layers multiply numbers rounded to {forward}, in the backward pass gradients rounded to {backward}.","lab.recipe_operands_stochastic":"Gradients are rounded up or down by chance.","lab.recipe_scaled_none":"Tensors are not scaled to the format’s range.","lab.recipe_scaled_current":"Each tensor is scaled to the format’s range by its own largest value.","lab.recipe_scaled_delayed":"Each tensor is scaled to the format’s range by the largest value of earlier steps.","lab.recipe_naive_softmax":"Softmax is computed naively in {format}: its exponentials overflow.","lab.recipe_narrow_norm":"Norms are computed in {format}.","lab.recipe_narrow_loss":"The loss is computed in {format}.","lab.recipe_unscaled":"No loss scale.","lab.recipe_static":"The loss is scaled by {scale} throughout; a step whose gradients hold inf or NaN is skipped.","lab.recipe_dynamic":"The loss scale starts at {scale}: × {backoff} after a skipped step, × {growth} after {interval} good steps in a row.","lab.loss":"loss","lab.loss_note":"of each step’s batch","lab.loss_scale":"loss scale","lab.loss_scale_note":"by step · ▼ step skipped","lab.no_curves":"No run is selected.","lab.no_scales":"None of these runs scales its loss.","lab.loss_summary":"Loss by step.","lab.loss_words":"{name}: from {first} to {last} at step {step}.","lab.scale_summary":"Loss scale by step.","lab.scale_words":"{name}: {scale}, {skipped} skipped.","lab.shares":"gradients","lab.shares_note":"of {name}, those that are not zero","lab.shares_words":"Gradients of {name} at step {step}: {shares}.","lab.no_shares":"No gradients have been counted.","lab.percent":"{share} %","lab.class_flushed":"flushed","lab.class_subnormal":"subnormal","lab.class_normal":"normal","lab.class_overflow":"overflow","lab.run":"run","lab.runs":"runs","lab.score":"score","lab.flushed":"flushed","lab.skipped":"skipped","lab.metric_accuracy":"accuracy","lab.metric_iou":"IoU","lab.table_caption":"Score and loss on held-out data.","lab.table_caption_flushed":"Score and loss on held-out data; gradients flushed in the newest snapshot.","lab.no_runs":"No runs yet.","lab.skipped_is":"{count} skipped","lab.compare":"Compare selected","lab.compare_needs":"Select two runs or more that are over.","lab.open_gradients":"Open gradients","lab.open_needs_one":"Select one run alone.","lab.open_needs_snapshot":"This run has recorded no gradients yet.","lab.selection_note":"Selected runs are drawn: two or more can be compared, one can have its gradients opened.","lab.close":"Close","lab.gradients_of":"Gradients of {name}","lab.gradients_by_hand":"This page cannot show one widget in another. In a notebook’s cell, this line opens them:","lab.compared":"{count} runs compared","lab.comparison":"comparison of the selected runs","lab.field":"field","lab.settings":"what differs","lab.same_settings":"what differs: nothing, the settings are the same","lab.results":"what came of it","lab.yes":"yes","lab.no":"no","lab.field_status":"end","lab.field_steps_done":"steps taken","lab.field_skipped":"steps skipped","lab.field_steps_per_second":"steps per second","lab.field_loss":"loss of the last batch","lab.field_metrics_loss":"loss, held-out data","lab.field_metrics_accuracy":"accuracy","lab.field_metrics_iou":"IoU","lab.field_gradients_zero":"gradients: zero","lab.field_gradients_flushed":"gradients: flushed","lab.field_gradients_overflow":"gradients: overflow","lab.field_gradients_not_finite":"gradients: not finite","lab.field_gradients_flushed_against_float32":"gradients: lost against FP32","lab.field_weights_unchanged":"weights that no update moved","lab.field_memory_predicted":"memory of a step","lab.field_memory_measured":"memory of a step, measured","lab.seed_is":"seed {seed}","lab.loss_weight_is":"loss weight {weight}"};

// js/ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill2(en_default[key], args);
}
var listed = (parts) => joined("common.list", parts);
var inSeries = (parts) => joined("common.series", parts);
var sentences = (parts) => joined("common.sentences", parts);
function joined(key, parts) {
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? "" : said.reduce((one2, more) => t(key, { one: one2, more }));
}
function fill2(template, args) {
  return template.replace(PLACEHOLDER, (whole2, name) => Object.hasOwn(args, name) ? String(args[name]) : whole2);
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

// js/ui/kernel.ts
var PATIENCE_MS = 4e3;
var FURTHER_HELLOS_MS = [700, 2e3, 5e3];
function kernelLink(model, tell) {
  const open = /* @__PURE__ */ new Map();
  const waiting = /* @__PURE__ */ new Set();
  const send = (message) => {
    try {
      model.send(message);
    } catch (error) {
      console.warn("mixwidgets: not sent,", error);
    }
  };
  const ask = (kind, fields = {}) => {
    const request = Math.random().toString(36).slice(2);
    clearTimeout(open.get(kind)?.timer);
    const timer = setTimeout(() => {
      waiting.delete(kind);
      tell.waiting(waiting);
      tell.slow(kind);
    }, PATIENCE_MS);
    open.set(kind, { request, timer });
    waiting.add(kind);
    tell.waiting(waiting);
    send({ kind, request, ...fields });
  };
  const forget = () => {
    for (const { timer } of open.values()) clearTimeout(timer);
    open.clear();
    waiting.clear();
  };
  const answered = (answer) => {
    if (answer?.kind === "no_kernel") {
      sayNoMore();
      forget();
      return tell.absent();
    }
    const [kind, asked] = [...open].find(([, { request }]) => request === answer?.request) ?? [];
    if (!kind || !asked) return;
    clearTimeout(asked.timer);
    open.delete(kind);
    const isLate = !waiting.delete(kind);
    tell.waiting(waiting);
    if (answer.kind === "refused") tell.refused(String(answer.message ?? ""));
    else if (isLate) tell.refused("");
  };
  model.on("msg:custom", answered);
  const hello = () => send({ kind: "hello" });
  const hellos = FURTHER_HELLOS_MS.map((delay) => setTimeout(hello, delay));
  const sayNoMore = () => hellos.forEach(clearTimeout);
  hello();
  const close = () => {
    sayNoMore();
    forget();
    model.off("msg:custom", answered);
  };
  return { ask, close };
}

// ../../../work/main/js/node_modules/d3-path/dist/d3-path.mjs
var pi = Math.PI;
var tau = 2 * pi;
var epsilon = 1e-6;
var tauEpsilon = tau - epsilon;
function append(strings) {
  this._ += strings[0];
  for (let i = 1, n = strings.length; i < n; ++i) {
    this._ += arguments[i] + strings[i];
  }
}
function appendRound(digits) {
  let d = Math.floor(digits);
  if (!(d >= 0)) throw new Error(`invalid digits: ${digits}`);
  if (d > 15) return append;
  const k = 10 ** d;
  return function(strings) {
    this._ += strings[0];
    for (let i = 1, n = strings.length; i < n; ++i) {
      this._ += Math.round(arguments[i] * k) / k + strings[i];
    }
  };
}
function equal(x0, y0, x1, y1) {
  return x0 === x1 && y0 === y1;
}
function equalRound(digits) {
  const d = Math.floor(digits);
  if (!(d <= 15)) return equal;
  const k = 10 ** d;
  const r = function(value2) {
    return Math.round(value2 * k);
  };
  return function(x0, y0, x1, y1) {
    return r(x0) === r(x1) && r(y0) === r(y1);
  };
}
var Path = class {
  constructor(digits) {
    this._x0 = this._y0 = // start of current subpath
    this._x1 = this._y1 = null;
    this._ = "";
    this._append = digits == null ? append : appendRound(digits);
    this._equal = digits == null ? equal : equalRound(digits);
  }
  moveTo(x, y) {
    this._append`M${this._x0 = this._x1 = +x},${this._y0 = this._y1 = +y}`;
  }
  closePath() {
    if (this._x1 !== null) {
      this._x1 = this._x0, this._y1 = this._y0;
      this._append`Z`;
    }
  }
  lineTo(x, y) {
    this._append`L${this._x1 = +x},${this._y1 = +y}`;
  }
  quadraticCurveTo(x1, y1, x, y) {
    this._append`Q${+x1},${+y1},${this._x1 = +x},${this._y1 = +y}`;
  }
  bezierCurveTo(x1, y1, x2, y2, x, y) {
    this._append`C${+x1},${+y1},${+x2},${+y2},${this._x1 = +x},${this._y1 = +y}`;
  }
  arcTo(x1, y1, x2, y2, r) {
    x1 = +x1, y1 = +y1, x2 = +x2, y2 = +y2, r = +r;
    if (r < 0) throw new Error(`negative radius: ${r}`);
    let x0 = this._x1, y0 = this._y1, x21 = x2 - x1, y21 = y2 - y1, x01 = x0 - x1, y01 = y0 - y1, l01_2 = x01 * x01 + y01 * y01;
    if (this._x1 === null) {
      this._append`M${this._x1 = x1},${this._y1 = y1}`;
    } else if (!(l01_2 > epsilon)) ;
    else if (!(Math.abs(y01 * x21 - y21 * x01) > epsilon) || !r) {
      this._append`L${this._x1 = x1},${this._y1 = y1}`;
    } else {
      let x20 = x2 - x0, y20 = y2 - y0, l21_2 = x21 * x21 + y21 * y21, l20_2 = x20 * x20 + y20 * y20, l21 = Math.sqrt(l21_2), l01 = Math.sqrt(l01_2), l = r * Math.tan((pi - Math.acos((l21_2 + l01_2 - l20_2) / (2 * l21 * l01))) / 2), t01 = l / l01, t21 = l / l21;
      if (Math.abs(t01 - 1) > epsilon) {
        this._append`L${x1 + t01 * x01},${y1 + t01 * y01}`;
      }
      this._append`A${r},${r},0,0,${+(y01 * x20 > x01 * y20)},${this._x1 = x1 + t21 * x21},${this._y1 = y1 + t21 * y21}`;
    }
  }
  arc(x, y, r, a0, a1, ccw) {
    x = +x, y = +y, r = +r, ccw = !!ccw;
    if (r < 0) throw new Error(`negative radius: ${r}`);
    let dx = r * Math.cos(a0), dy = r * Math.sin(a0), x0 = x + dx, y0 = y + dy, cw = 1 ^ ccw, da = ccw ? a0 - a1 : a1 - a0;
    if (this._x1 === null) {
      this._append`M${x0},${y0}`;
    } else if (Math.abs(this._x1 - x0) > epsilon || Math.abs(this._y1 - y0) > epsilon) {
      this._append`L${x0},${y0}`;
    }
    if (!r) return;
    if (da < 0) da = da % tau + tau;
    if (da > tauEpsilon) {
      this._append`A${r},${r},0,1,${cw},${x - dx},${y - dy}A${r},${r},0,1,${cw},${this._x1 = x0},${this._y1 = y0}`;
    } else if (da > epsilon) {
      const x1 = x + r * Math.cos(a1);
      const y1 = y + r * Math.sin(a1);
      if (da >= pi && this._equal(x0, y0, x1, y1)) {
        da /= 2;
        let a00 = a0 + da;
        this._append`A${r},${r},0,${+(da >= pi)},${cw},${x + r * Math.cos(a00)},${y + r * Math.sin(a00)}`;
      }
      this._append`A${r},${r},0,${+(da >= pi)},${cw},${this._x1 = x1},${this._y1 = y1}`;
    }
  }
  rect(x, y, w, h2) {
    this._append`M${this._x0 = this._x1 = +x},${this._y0 = this._y1 = +y}h${w = +w}v${+h2}h${-w}Z`;
  }
  toString() {
    return this._;
  }
};
function path() {
  return new Path();
}
path.prototype = Path.prototype;
function pathRound(digits = 3) {
  return new Path(+digits);
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
function number(x) {
  return x === null ? NaN : +x;
}
var ascendingBisect = bisector(ascending);
var bisectRight = ascendingBisect.right;
var bisectLeft = ascendingBisect.left;
var bisectCenter = bisector(number).center;
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
function tickSpec(start, stop, count2) {
  const step = (stop - start) / Math.max(0, count2), power2 = Math.floor(Math.log10(step)), error = step / Math.pow(10, power2), factor = error >= e10 ? 10 : error >= e5 ? 5 : error >= e2 ? 2 : 1;
  let i1, i2, inc;
  if (power2 < 0) {
    inc = Math.pow(10, -power2) / factor;
    i1 = Math.round(start * inc);
    i2 = Math.round(stop * inc);
    if (i1 / inc < start) ++i1;
    if (i2 / inc > stop) --i2;
    inc = -inc;
  } else {
    inc = Math.pow(10, power2) * factor;
    i1 = Math.round(start / inc);
    i2 = Math.round(stop / inc);
    if (i1 * inc < start) ++i1;
    if (i2 * inc > stop) --i2;
  }
  if (i2 < i1 && 0.5 <= count2 && count2 < 2) return tickSpec(start, stop, count2 * 2);
  return [i1, i2, inc];
}
function ticks(start, stop, count2) {
  stop = +stop, start = +start, count2 = +count2;
  if (!(count2 > 0)) return [];
  if (start === stop) return [start];
  const reverse = stop < start, [i1, i2, inc] = reverse ? tickSpec(stop, start, count2) : tickSpec(start, stop, count2);
  if (!(i2 >= i1)) return [];
  const n = i2 - i1 + 1, ticks3 = new Array(n);
  if (reverse) {
    if (inc < 0) for (let i = 0; i < n; ++i) ticks3[i] = (i2 - i) / -inc;
    else for (let i = 0; i < n; ++i) ticks3[i] = (i2 - i) * inc;
  } else {
    if (inc < 0) for (let i = 0; i < n; ++i) ticks3[i] = (i1 + i) / -inc;
    else for (let i = 0; i < n; ++i) ticks3[i] = (i1 + i) * inc;
  }
  return ticks3;
}
function tickIncrement(start, stop, count2) {
  stop = +stop, start = +start, count2 = +count2;
  return tickSpec(start, stop, count2)[2];
}
function tickStep(start, stop, count2) {
  stop = +stop, start = +start, count2 = +count2;
  const reverse = stop < start, inc = reverse ? tickIncrement(stop, start, count2) : tickIncrement(start, stop, count2);
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
function number2(a, b) {
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
      q.push({ i, x: number2(am, bm) });
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
  return b == null || t2 === "boolean" ? constant(b) : (t2 === "number" ? number2 : t2 === "string" ? (c = unused(b)) ? (b = c, rgb) : string : b instanceof unused ? rgb : b instanceof Date ? date : isNumberArray(b) ? numberArray : Array.isArray(b) ? genericArray : typeof b.valueOf !== "function" && typeof b.toString !== "function" || isNaN(b) ? object : number2)(a, b);
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
      q.push({ i: i - 4, x: number2(xa, xb) }, { i: i - 2, x: number2(ya, yb) });
    } else if (xb || yb) {
      s2.push("translate(" + xb + pxComma + yb + pxParen);
    }
  }
  function rotate(a, b, s2, q) {
    if (a !== b) {
      if (a - b > 180) b += 360;
      else if (b - a > 180) a += 360;
      q.push({ i: s2.push(pop(s2) + "rotate(", null, degParen) - 2, x: number2(a, b) });
    } else if (b) {
      s2.push(pop(s2) + "rotate(" + b + degParen);
    }
  }
  function skewX(a, b, s2, q) {
    if (a !== b) {
      q.push({ i: s2.push(pop(s2) + "skewX(", null, degParen) - 2, x: number2(a, b) });
    } else if (b) {
      s2.push(pop(s2) + "skewX(" + b + degParen);
    }
  }
  function scale2(xa, ya, xb, yb, s2, q) {
    if (xa !== xb || ya !== yb) {
      var i = s2.push(pop(s2) + "scale(", null, ",", null, ")");
      q.push({ i: i - 4, x: number2(xa, xb) }, { i: i - 2, x: number2(ya, yb) });
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
    scale2(a.scaleX, a.scaleY, b.scaleX, b.scaleY, s2, q);
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
function initRange(domain, range2) {
  switch (arguments.length) {
    case 0:
      break;
    case 1:
      this.range(domain);
      break;
    default:
      this.range(range2).domain(domain);
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
function bimap(domain, range2, interpolate) {
  var d0 = domain[0], d1 = domain[1], r0 = range2[0], r1 = range2[1];
  if (d1 < d0) d0 = normalize(d1, d0), r0 = interpolate(r1, r0);
  else d0 = normalize(d0, d1), r0 = interpolate(r0, r1);
  return function(x) {
    return r0(d0(x));
  };
}
function polymap(domain, range2, interpolate) {
  var j = Math.min(domain.length, range2.length) - 1, d = new Array(j), r = new Array(j), i = -1;
  if (domain[j] < domain[0]) {
    domain = domain.slice().reverse();
    range2 = range2.slice().reverse();
  }
  while (++i < j) {
    d[i] = normalize(domain[i], domain[i + 1]);
    r[i] = interpolate(range2[i], range2[i + 1]);
  }
  return function(x) {
    var i2 = bisectRight(domain, x, 1, j) - 1;
    return r[i2](d[i2](x));
  };
}
function copy$1(source, target) {
  return target.domain(source.domain()).range(source.range()).interpolate(source.interpolate()).clamp(source.clamp()).unknown(source.unknown());
}
function transformer$2() {
  var domain = unit, range2 = unit, interpolate$1 = value, transform, untransform, unknown, clamp = identity$1, piecewise2, output, input;
  function rescale() {
    var n = Math.min(domain.length, range2.length);
    if (clamp !== identity$1) clamp = clamper(domain[0], domain[n - 1]);
    piecewise2 = n > 2 ? polymap : bimap;
    output = input = null;
    return scale2;
  }
  function scale2(x) {
    return x == null || isNaN(x = +x) ? unknown : (output || (output = piecewise2(domain.map(transform), range2, interpolate$1)))(transform(clamp(x)));
  }
  scale2.invert = function(y) {
    return clamp(untransform((input || (input = piecewise2(range2, domain.map(transform), number2)))(y)));
  };
  scale2.domain = function(_) {
    return arguments.length ? (domain = Array.from(_, number$1), rescale()) : domain.slice();
  };
  scale2.range = function(_) {
    return arguments.length ? (range2 = Array.from(_), rescale()) : range2.slice();
  };
  scale2.rangeRound = function(_) {
    return range2 = Array.from(_), interpolate$1 = round, rescale();
  };
  scale2.clamp = function(_) {
    return arguments.length ? (clamp = _ ? true : identity$1, rescale()) : clamp !== identity$1;
  };
  scale2.interpolate = function(_) {
    return arguments.length ? (interpolate$1 = _, rescale()) : interpolate$1;
  };
  scale2.unknown = function(_) {
    return arguments.length ? (unknown = _, scale2) : unknown;
  };
  return function(t2, u) {
    transform = t2, untransform = u;
    return rescale();
  };
}
function continuous() {
  return transformer$2()(identity$1, identity$1);
}
function tickFormat(start, stop, count2, specifier) {
  var step = tickStep(start, stop, count2), precision;
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
function linearish(scale2) {
  var domain = scale2.domain;
  scale2.ticks = function(count2) {
    var d = domain();
    return ticks(d[0], d[d.length - 1], count2 == null ? 10 : count2);
  };
  scale2.tickFormat = function(count2, specifier) {
    var d = domain();
    return tickFormat(d[0], d[d.length - 1], count2 == null ? 10 : count2, specifier);
  };
  scale2.nice = function(count2) {
    if (count2 == null) count2 = 10;
    var d = domain();
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
      step = tickIncrement(start, stop, count2);
      if (step === prestep) {
        d[i0] = start;
        d[i1] = stop;
        return domain(d);
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
    return scale2;
  };
  return scale2;
}
function linear2() {
  var scale2 = continuous();
  scale2.copy = function() {
    return copy$1(scale2, linear2());
  };
  initRange.apply(scale2, arguments);
  return linearish(scale2);
}

// mixwidgets/widgets/training_lab/geometry.ts
var SHORT = 1e3;
function reach(steps, step, isGoingOn) {
  if (!isGoingOn) return step;
  return Math.min(steps, Math.max(SHORT, 2 ** Math.ceil(Math.log2(step + 1))));
}
var finite = (point) => Number.isFinite(point.value);
function lossAxes(frame, curves, steps) {
  const values = curves.flatMap((curve) => curve.filter(finite).map((point) => point.value));
  const top = values.reduce((a, b) => Math.max(a, b), 0);
  const bottom = values.reduce((a, b) => Math.min(a, b), 0);
  const y = linear2([bottom, top > bottom ? top : 1], [frame.height - frame.bottom, frame.top]);
  return { x: stepAxis(frame, steps), y: y.nice(4) };
}
function scaleAxes(frame, curves, steps) {
  const values = curves.flatMap((curve) => curve.filter(finite).map((point) => point.value));
  const low = values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
  const high = values.reduce((a, b) => Math.max(a, b), values[0] ?? 0);
  const air = Math.max(0.5, (high - low) * 0.12);
  const y = linear2([low - air, high + 2 * air], [frame.height - frame.bottom, frame.top]);
  return { x: stepAxis(frame, steps), y };
}
function stepAxis(frame, steps) {
  return linear2([0, Math.max(1, steps)], [frame.left, frame.width - frame.right]);
}
function wholeTicks(axis, about) {
  return axis.ticks(about).filter(Number.isInteger);
}
function lossPath({ x, y }, curve) {
  const path2 = pathRound(1);
  let drawing = false;
  for (const point of curve) {
    const wasDrawing = drawing;
    drawing = finite(point);
    if (drawing) path2[wasDrawing ? "lineTo" : "moveTo"](x(point.step), y(point.value));
  }
  return path2.toString();
}
function scalePath({ x, y }, changes, newestStep) {
  const path2 = pathRound(1);
  let height = null;
  changes.forEach((point, i) => {
    if (!finite(point)) return void (height = null);
    const until = changes[i + 1]?.step ?? Math.max(newestStep, point.step);
    path2[height === null ? "moveTo" : "lineTo"](x(point.step), height = y(point.value));
    path2.lineTo(x(until), height);
  });
  return path2.toString();
}
function sharesPaths(x, y, shares2, classes) {
  const spans = [[]];
  for (const one2 of shares2) {
    if (one2.of.every(Number.isFinite)) spans.at(-1).push(one2);
    else spans.push([]);
  }
  const drawn = spans.filter((span) => span.length > 0);
  return Array.from({ length: classes }, (_, kind) => drawn.map((span) => area(x, y, span, kind)).join(""));
}
var BAR = 4;
function area(x, y, span, kind) {
  const path2 = pathRound(1);
  const sum = (one2, classes) => one2.of.slice(0, classes).reduce((all, share) => all + share, 0);
  const corners = span.map((one2) => ({ at: x(one2.step), low: y(sum(one2, kind)), high: y(sum(one2, kind + 1)) }));
  if (corners.length === 1) corners.push({ ...corners[0], at: corners[0].at + BAR });
  corners.forEach(({ at, high }, i) => path2[i === 0 ? "moveTo" : "lineTo"](at, high));
  corners.reverse().forEach(({ at, low }) => path2.lineTo(at, low));
  path2.closePath();
  return path2.toString();
}
function skipMarks(axes, skipped, size) {
  const path2 = pathRound(1);
  let [lastX, lastY] = [-Infinity, -Infinity];
  for (const point of skipped.filter(finite)) {
    const [x, y] = [axes.x(point.step), axes.y(point.value) - 2];
    if (Math.abs(x - lastX) < size / 2 && Math.abs(y - lastY) < size / 2) continue;
    [lastX, lastY] = [x, y];
    path2.moveTo(x, y);
    path2.lineTo(x - size / 2, y - size);
    path2.lineTo(x + size / 2, y - size);
    path2.closePath();
  }
  return path2.toString();
}
function spread(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  let next = low;
  for (const i of order) {
    placed[i] = Math.max(wanted[i], next);
    next = placed[i] + gap;
  }
  let limit = high;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i], limit);
    limit = placed[i] - gap;
  }
  return placed;
}

// mixwidgets/widgets/training_lab/plot.ts
function plot(heading, about, ...content) {
  const id = uniqueId("chart");
  const title = s("title", { id });
  const grid = s("g", { class: "mw-grid" });
  const axis = s("path", { class: "mw-axis" });
  const yLabels = s("g", { class: "mw-ticks", "text-anchor": "end" });
  const xLabels = s("g", { class: "mw-ticks", "text-anchor": "middle" });
  const nothing = s("text", { class: "mw-empty", "text-anchor": "middle" });
  const svg = s("svg", { role: "img", "aria-labelledby": id }, title, grid, axis, yLabels, xLabels, ...content, nothing);
  const note = h("span", { class: "mw-chart-note" }, about);
  const element = h("div", { class: "mw-chart" }, h("h4", {}, heading, note), svg);
  const draw = ({ frame, xTicks, yTicks, empty, summary }) => {
    const { width, height, left, right, bottom, top } = frame;
    set(svg, { viewBox: `0 0 ${width} ${height}`, height });
    setText(title, summary);
    set(axis, { d: `M${left},${top}V${height - bottom}H${width - right}` });
    ticks2(grid, "line", yTicks, (tick) => ({ x1: left, x2: width - right, y1: tick.at, y2: tick.at }));
    ticks2(yLabels, "text", yTicks, (tick) => ({ x: left - 6, y: tick.at, dy: "0.32em" }));
    ticks2(xLabels, "text", xTicks, (tick) => ({ x: tick.at, y: height - bottom + 16 }));
    set(nothing, { x: (left + width - right) / 2, y: (top + height - bottom) / 2 });
    setText(nothing, empty);
  };
  return { element, note, draw };
}
function ticks2(group, tag, wanted, attributes) {
  while (group.childElementCount > wanted.length) group.lastElementChild.remove();
  wanted.forEach((tick, i) => {
    const element = group.children[i] ?? group.appendChild(s(tag));
    set(element, attributes(tick));
    if (tag === "text") setText(element, tick.text);
  });
}

// mixwidgets/widgets/training_lab/chart.ts
var STYLES = 6;
var styleClass = (style) => `mw-run mw-run-${style % STYLES}`;
var LABEL_GAP = 17;
var SAMPLE = 24;
function chart(heading, note) {
  const lines = s("g");
  const { element, draw: drawAxes } = plot(heading, note, lines);
  const drawn = /* @__PURE__ */ new Map();
  const draw = ({ series: series2, named, ...axed }) => {
    drawAxes({ ...axed, empty: series2.length === 0 ? axed.empty : "" });
    set(lines, { class: named ? void 0 : "mw-unnamed" });
    const { width, height, right, bottom, top } = axed.frame;
    const ends = spread(series2.map((one2) => one2.end), LABEL_GAP, top + 4, height - bottom);
    const x = width - right + 10;
    series2.forEach((one2, i) => {
      const marked = drawn.get(one2.id) ?? add(one2.id);
      set(marked.group, { class: styleClass(one2.style) });
      set(marked.line, { d: one2.path });
      set(marked.marks, { d: one2.marks });
      set(marked.sample, { x1: x, x2: x + SAMPLE, y1: ends[i], y2: ends[i] });
      set(marked.label, { x: x + SAMPLE + 6, y: ends[i], dy: "0.32em" });
      setText(marked.label, one2.name);
    });
    const wanted = new Set(series2.map((one2) => one2.id));
    for (const [key, marked] of drawn) {
      if (wanted.has(key)) continue;
      marked.group.remove();
      drawn.delete(key);
    }
  };
  const add = (key) => {
    const line = s("path", { class: "mw-line" });
    const marks = s("path", { class: "mw-marks" });
    const sample = s("line", { class: "mw-line mw-sample" });
    const label = s("text", { class: "mw-label" });
    const marked = { group: s("g", {}, line, marks, sample, label), line, marks, sample, label };
    lines.append(marked.group);
    drawn.set(key, marked);
    return marked;
  };
  return { element, draw };
}
function lineSample() {
  const element = s(
    "svg",
    { width: SAMPLE, height: 12, "aria-hidden": "true" },
    s("line", { class: "mw-line", x1: 0, x2: SAMPLE, y1: 6, y2: 6 })
  );
  const show2 = (style) => set(element, { class: style === void 0 ? "mw-run-hidden" : styleClass(style) });
  return { element, show: show2 };
}

// js/core/gradients/boundaries.ts
var FRACTION_BITS = 52;
var BINADE = 2 ** FRACTION_BITS;
var CLASSES = ["flushed", "subnormal", "normal", "overflow"];

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

// js/core/formats/parse.ts
var SIGN = "(?<sign>[+\\-−]?)";
var EXPONENT = "(?<exp>[+\\-−]?[0-9]+)";
var DECIMAL = new RegExp(`^${SIGN}(?:(?<whole>[0-9]+)\\.?(?<part>[0-9]*)|\\.(?<only>[0-9]+))(?:[eE]${EXPONENT})?$`);
var HEX_FLOAT = new RegExp(
  `^${SIGN}0[xX](?:(?<whole>[0-9a-fA-F]+)\\.?(?<part>[0-9a-fA-F]*)|\\.(?<only>[0-9a-fA-F]+))[pP]${EXPONENT}$`
);
var SPECIAL = new RegExp(`^${SIGN}(?<word>inf|infinity|nan)$`, "i");

// js/ui/digits.ts
function superscript(n) {
  return [...String(n)].map((c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]).join("");
}

// mixwidgets/widgets/training_lab/arithmetic.ts
var PRODUCTS = [
  [/^(\w+) storage, float32 products$/, "lab.products_widened"],
  [/^native (\w+) products$/, "lab.products_native"],
  [/^torch\.autocast to (\w+)$/, "lab.products_autocast"],
  [/^torch\.autocast to (\w+), whose products this CPU emulates, slowly$/, "lab.products_emulated"],
  [/^the watched loop's own()$/, "lab.products_watched"]
];
var OPERANDS = /, operands of linear layers rounded to (\w+)$/;
function arithmetic(backend) {
  const operands2 = OPERANDS.exec(backend)?.[1];
  const products = backend.replace(OPERANDS, "");
  for (const [pattern, key] of PRODUCTS) {
    const format = pattern.exec(products)?.[1];
    if (format !== void 0)
      return listed([t(key, { format }), operands2 === void 0 ? "" : t("lab.products_operands", { format: operands2 })]);
  }
  return backend;
}

// mixwidgets/widgets/training_lab/state.ts
var isAlive = (row) => row.status === "queued" || row.status === "running";
var canStop = (row) => isAlive(row) && row.steps !== null;
var isWaiting = (row) => row.status === "queued" && typeof row.position === "number";
var isFailure = (row) => !isAlive(row) && row.status !== "completed" && row.status !== "stopped";
function decode(wire) {
  return { loss: points(wire?.loss), scale: points(wire?.scale), skipped: points(wire?.skipped), shares: shares(wire?.shares) };
}
function points(view) {
  return records(view, 2).map(([step, value2]) => ({ step, value: value2 }));
}
function shares(view) {
  return records(view, 5).map(([step, ...of]) => ({ step, of }));
}
function records(view, size) {
  const count2 = view ? Math.floor(view.byteLength / (4 * size)) : 0;
  return Array.from({ length: count2 }, (_, i) => Array.from({ length: size }, (_2, j) => view.getFloat32(4 * (size * i + j), true)));
}

// mixwidgets/widgets/training_lab/words.ts
var NONE = "–";
var NOT_FINITE = { nan: "NaN", inf: "∞", "-inf": "−∞" };
var whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
var spaced = (name) => name.replaceAll("_", " ");
var count = (value2) => whole.format(value2);
function powerOfTwo(exponent) {
  return `2${superscript(exponent)}`;
}
function scale(value2) {
  if (typeof value2 !== "number") return decimal(value2);
  const exponent = Math.log2(value2);
  return Number.isInteger(exponent) ? powerOfTwo(exponent) : decimal(value2);
}
function decimal(value2) {
  if (value2 === null) return NONE;
  if (typeof value2 === "string") return NOT_FINITE[value2];
  const size = Math.abs(value2);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value2.toExponential(2).replace("-", "−");
  return value2.toFixed(size >= 1e3 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}
function axisNumber(value2) {
  const size = Math.abs(value2);
  const isPlain = size === 0 || size >= 1e-3 && size < 1e5;
  const round2 = Number(value2.toPrecision(12));
  return (isPlain ? String(round2) : round2.toExponential()).replace("e+", "e").replace("-", "−").replace("e-", "e−");
}
function percent(value2) {
  if (typeof value2 !== "number") return decimal(value2 ?? null);
  return value2 > 0 && value2 < 5e-4 ? "< 0.1 %" : `${(100 * value2).toFixed(1)} %`;
}
function bytes(size) {
  const step = Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3)));
  const value2 = size / 1e3 ** step;
  return `${step > 0 && value2 < 99.95 ? value2.toFixed(1) : whole.format(value2)} ${UNITS[step]}`;
}
var UNITS = ["B", "kB", "MB", "GB", "TB"];
var ordinals = new Intl.PluralRules("en", { type: "ordinal" });
var ordinal = (n) => t(`lab.ordinal_${ordinals.select(n)}`, { n });
var metricOf = (row) => Object.keys(row.metrics).find((name) => name !== "loss");
var METRICS = /* @__PURE__ */ new Map([["accuracy", "lab.metric_accuracy"], ["iou", "lab.metric_iou"]]);
function metricName(name) {
  const key = METRICS.get(name);
  return key === void 0 ? name : t(key);
}
var metric = (name, value2) => METRICS.has(name) ? percent(value2) : decimal(value2);
function duration(seconds) {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const s2 = Math.round(seconds);
  if (s2 < 60) return `${s2} s`;
  const minutes = Math.floor(s2 / 60);
  return minutes < 60 ? `${minutes} min ${s2 % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
function progress(row) {
  const at = { step: count(row.step), steps: row.steps === null ? "" : count(row.steps), status: status(row) };
  if (!isAlive(row)) return t(row.steps === null ? "lab.progress_watched_over" : "lab.progress_over", at);
  if (isWaiting(row)) return status(row);
  if (row.step === 0) return t("lab.progress_starting");
  const steps = t(row.steps === null ? "lab.progress_watched" : "lab.progress_steps", at);
  if (row.rate === null) return steps;
  const rate = t("lab.progress_rate", { rate: row.rate >= 10 ? count(row.rate) : row.rate.toFixed(1) });
  if (row.steps === null) return `${steps} · ${rate}`;
  const left = t("lab.progress_left", { time: duration((row.steps - row.step) / row.rate) });
  return `${steps} · ${rate} · ${left}`;
}
function spoken(row, name) {
  if (row.status !== "running" || row.rate === null || row.steps === null) return t("lab.spoken_status", { name, status: status(row) });
  const time = duration((row.steps - row.step) / row.rate);
  return t("lab.spoken_progress", { name, percent: percent(row.step / row.steps), time });
}
function newest(row) {
  if (row.step === 0) return "";
  const parts = [t("lab.newest_loss", { loss: decimal(row.loss) })];
  if (row.scaled) {
    parts.push(t("lab.newest_scale", { scale: scale(row.loss_scale) }));
    parts.push(t(row.skipped === 1 ? "lab.newest_skipped_one" : "lab.newest_skipped", { count: count(row.skipped) }));
  }
  return parts.join(" · ");
}
var STATUSES = {
  queued: "lab.status_queued",
  running: "lab.status_running",
  interrupted: "lab.status_interrupted",
  completed: "lab.status_completed",
  stopped: "lab.status_stopped",
  diverged: "lab.status_diverged",
  out_of_memory: "lab.status_out_of_memory",
  time_limit: "lab.status_time_limit",
  disk_full: "lab.status_disk_full",
  crashed: "lab.status_crashed"
};
function statusWord(word) {
  const key = Object.hasOwn(STATUSES, word) ? STATUSES[word] : void 0;
  return key === void 0 ? word : t(key);
}
function status(row) {
  return isWaiting(row) ? t("lab.status_queued_at", { place: ordinal(row.position) }) : statusWord(row.status);
}
function place(row) {
  const device = row.device === "cpu" ? t("lab.device_cpu") : row.device.replace(/^cuda/, t("lab.device_cuda"));
  return [device, arithmetic(row.backend)].filter((part) => part !== "").join(" · ");
}
var MEMORY = ["weights", "master", "gradients", "optimizer", "activations"];
function memory(row) {
  const kinds = Object.entries(row.memory ?? {}).filter(([, size]) => size > 0);
  if (kinds.length === 0) return "";
  const named = kinds.map(([kind, size]) => {
    const known = MEMORY.find((one2) => one2 === kind);
    return `${known ? t(`lab.memory_${known}`) : kind} ${bytes(size)}`;
  });
  return t("lab.memory", { total: bytes(kinds.reduce((sum, [, size]) => sum + size, 0)), kinds: listed(named) });
}

// mixwidgets/widgets/training_lab/shares_chart.ts
var HALVES = [0, 0.5, 1];
function sharesChart() {
  const fills = textures();
  const areas = CLASSES.map((kind) => s("path", { fill: fills.fill(kind) }));
  const { element, note, draw: drawAxes } = plot(t("lab.shares"), "", s("g", { class: "mw-areas" }, ...areas));
  const figures = CLASSES.map(() => h("span", { class: "mw-num" }));
  const key = h(
    "p",
    { class: "mw-row mw-key mw-shares-key" },
    ...CLASSES.map((kind, i) => h("span", { class: "mw-row" }, swatch(kind, fills), t(`lab.class_${kind}`), figures[i]))
  );
  element.append(key, fills.element);
  const draw = (frame, x, xTicks, run) => {
    const y = (share) => frame.top + (1 - share) * (frame.height - frame.bottom - frame.top);
    const shares2 = run?.curves.shares ?? [];
    const last = shares2.findLast(isKnown);
    setText(note, run ? t("lab.shares_note", { name: run.name }) : "");
    const yTicks = HALVES.map((share) => ({ at: y(share), text: t("lab.percent", { share: 100 * share }) }));
    drawAxes({ frame, xTicks, yTicks, empty: last ? "" : t("lab.no_shares"), summary: last ? words(run, last) : t("lab.no_shares") });
    sharesPaths(x, y, shares2, CLASSES.length).forEach((path2, i) => set(areas[i], { d: path2 }));
    figures.forEach((figure, i) => setText(figure, last ? percent(last.of[i]) : "–"));
  };
  return { element, draw };
}
var isKnown = ({ of }) => of.every(Number.isFinite);
var words = ({ name }, { step, of }) => t("lab.shares_words", { name, step: count(step), shares: listed(CLASSES.map((kind, i) => `${percent(of[i])} ${t(`lab.class_${kind}`)}`)) });

// mixwidgets/widgets/training_lab/charts.ts
var MARK = 9;
var LABEL_CHARACTER = 7.4;
var NARROW = 400;
var MOST_NAMES = 0.3;
var TICK_ROOM = 64;
function charts() {
  const loss = chart(t("lab.loss"), t("lab.loss_note"));
  const lossScale = chart(t("lab.loss_scale"), t("lab.loss_scale_note"));
  const gradients = sharesChart();
  const key = h("p", { class: "mw-row mw-key", "aria-hidden": "true" });
  const element = h("div", { class: "mw-charts" }, key, loss.element, lossScale.element, gradients.element);
  const draw = (width, runs, one2) => {
    const longest = runs.reduce((most, run) => Math.max(most, lossLabel(run).length), 0);
    const room = Math.round(38 + longest * LABEL_CHARACTER);
    const isNarrow = width < NARROW || room > MOST_NAMES * width;
    showKey(key, isNarrow ? runs : []);
    const right = isNarrow || longest === 0 ? 12 : room;
    const steps = runs.reduce((most, { row }) => Math.max(most, reach(row.steps ?? row.step, row.step, isAlive(row))), 0);
    const frame = { width, left: 58, right, top: 8, bottom: 24 };
    const lossFrame = { ...frame, height: 210 };
    const lossXY = lossAxes(lossFrame, runs.map((run) => run.curves.loss), steps);
    loss.draw({
      ...axesTicks(lossFrame, lossXY, lossXY.y.ticks(4).map((at) => ({ at: lossXY.y(at), text: axisNumber(at) }))),
      series: runs.map((run) => series(run, lossXY, lossPath(lossXY, run.curves.loss), "", run.curves.loss, lossLabel(run))),
      named: !isNarrow,
      empty: t("lab.no_curves"),
      summary: runs.length === 0 ? t("lab.no_curves") : sentences([t("lab.loss_summary"), ...runs.map(lossWords)])
    });
    const scaled = runs.filter((run) => run.row.scaled);
    const scaleFrame = { ...frame, height: 128 };
    const scaleXY = scaleAxes(scaleFrame, scaled.map((run) => run.curves.scale), steps);
    lossScale.draw({
      ...axesTicks(
        scaleFrame,
        scaleXY,
        scaled.length === 0 ? [] : wholeTicks(scaleXY.y, 4).map((at) => ({ at: scaleXY.y(at), text: powerOfTwo(at) }))
      ),
      series: scaled.map((run) => {
        const path2 = scalePath(scaleXY, run.curves.scale, run.row.step);
        return series(run, scaleXY, path2, skipMarks(scaleXY, run.curves.skipped, MARK), run.curves.scale, run.name);
      }),
      named: !isNarrow,
      empty: runs.length === 0 ? "" : t("lab.no_scales"),
      summary: scaled.length === 0 ? t("lab.no_scales") : sentences([t("lab.scale_summary"), ...scaled.map(scaleWords)])
    });
    const sharesFrame = { ...frame, height: 112 };
    gradients.draw(sharesFrame, lossXY.x, axesTicks(sharesFrame, lossXY, []).xTicks, one2);
  };
  return { element, draw };
}
function showKey(key, runs) {
  const wanted = runs.map((run) => `${run.style} ${lossLabel(run)}`).join("|");
  set(key, { hidden: runs.length === 0 });
  if (key.dataset["shows"] === wanted) return;
  key.dataset["shows"] = wanted;
  key.replaceChildren(
    ...runs.map((run) => {
      const sample = lineSample();
      sample.show(run.style);
      return h("span", { class: "mw-row" }, sample.element, lossLabel(run));
    })
  );
}
function axesTicks(frame, axes, yTicks) {
  const xTicks = wholeTicks(axes.x, (frame.width - frame.left - frame.right) / TICK_ROOM).map((at) => ({ at: axes.x(at), text: count(at) }));
  return { frame, xTicks, yTicks };
}
function series(run, axes, path2, marks, curve, name) {
  const last = curve.findLast((point) => Number.isFinite(point.value));
  const end = axes.y(last?.value ?? axes.y.domain()[0]);
  return { id: run.row.id, name, style: run.style, path: path2, marks, end };
}
var lossLabel = ({ name, row }) => typeof row.loss === "string" ? `${name}: ${decimal(row.loss)}` : name;
var lossWords = ({ name, row, curves }) => t("lab.loss_words", { name, first: decimal(curves.loss[0]?.value ?? null), last: decimal(row.loss), step: count(row.step) });
var scaleWords = ({ name, row }) => t("lab.scale_words", { name, scale: scale(row.loss_scale), skipped: count(row.skipped) });

// mixwidgets/widgets/training_lab/choice.ts
var MAX_STEPS = 1e7;
var MAX_SEED = 2 ** 32 - 1;
var MAX_SEEDS = 100;
var listOf = (value2) => Array.isArray(value2) ? value2 : [value2];
var oneOrMore = (values) => values.length === 1 ? values[0] : values;
function parseWhole(text, low, high) {
  const digits = text.trim();
  if (!/^[0-9]{1,15}$/.test(digits)) return null;
  const value2 = Number(digits);
  return low <= value2 && value2 <= high ? value2 : null;
}
function readSteps(text) {
  const value2 = parseWhole(text, 1, MAX_STEPS);
  if (value2 !== null) return { value: value2 };
  return { problem: t("lab.steps_wrong", { low: count(1), high: count(MAX_STEPS), came: quoted(text) }) };
}
function readSeeds(text) {
  const seeds = /* @__PURE__ */ new Set();
  for (const part of text.split(",")) {
    const ends = part.split(/[-–]/).map((end) => parseWhole(end, 0, MAX_SEED));
    const [from, to = from] = ends;
    if (ends.length > 2 || typeof from !== "number" || typeof to !== "number") {
      return { problem: t("lab.seeds_wrong", { high: count(MAX_SEED), came: quoted(part) }) };
    }
    if (to < from) return { problem: t("lab.seeds_backwards", { right: `${to}-${from}`, came: quoted(part) }) };
    if (seeds.size + (to - from) >= MAX_SEEDS) return { problem: t("lab.seeds_many", { most: MAX_SEEDS, came: quoted(text) }) };
    for (let seed = from; seed <= to; seed += 1) seeds.add(seed);
  }
  return { value: [...seeds] };
}
function seedsText(seeds) {
  const runs = [];
  for (const seed of seeds) {
    if (runs.at(-1)?.at(-1) === seed - 1) runs.at(-1).push(seed);
    else runs.push([seed]);
  }
  return runs.map((run) => run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(", ")).join(", ");
}
function quoted(text) {
  const came = text.trim();
  if (came === "") return t("lab.nothing");
  return `“${came.length > 24 ? `${came.slice(0, 24)}…` : came}”`;
}
function accept(wanted, known) {
  const { task, recipe: recipe2, steps, seed, device } = wanted;
  const recipes = String(recipe2).split(",");
  const seeds = readSeeds(String(seed));
  const isKnown2 = known.tasks.includes(task) && known.devices.includes(device) && recipes.every((name) => known.recipes.includes(name)) && new Set(recipes).size === recipes.length;
  if (!isKnown2 || "problem" in readSteps(String(steps)) || "problem" in seeds) return null;
  return { task, recipe: oneOrMore(recipes), steps: Number(steps), seed: oneOrMore(seeds.value), device };
}

// mixwidgets/widgets/training_lab/comparison_words.ts
var NAMES = {
  status: "lab.field_status",
  steps_done: "lab.field_steps_done",
  skipped: "lab.field_skipped",
  steps_per_second: "lab.field_steps_per_second",
  loss: "lab.field_loss",
  "metrics.loss": "lab.field_metrics_loss",
  "metrics.accuracy": "lab.field_metrics_accuracy",
  "metrics.iou": "lab.field_metrics_iou",
  "gradients.zero": "lab.field_gradients_zero",
  "gradients.flushed": "lab.field_gradients_flushed",
  "gradients.overflow": "lab.field_gradients_overflow",
  "gradients.not_finite": "lab.field_gradients_not_finite",
  "gradients.flushed_against_float32": "lab.field_gradients_flushed_against_float32",
  weights_unchanged: "lab.field_weights_unchanged",
  "memory.predicted": "lab.field_memory_predicted",
  "memory.measured": "lab.field_memory_measured"
};
function fieldName(field2) {
  const key = Object.hasOwn(NAMES, field2) ? NAMES[field2] : void 0;
  return key ? t(key) : spaced(field2.replace(/^(recipe|task_options)\./, "")).replaceAll(".", ": ");
}
var SHARE = /^(gradients\.|weights_unchanged$|metrics\.(accuracy|iou)$)/;
var NOT_FINITE2 = /^(nan|-?inf)$/;
function fieldValue(field2, value2) {
  if (value2 === "true" || value2 === "false") return t(value2 === "true" ? "lab.yes" : "lab.no");
  if (typeof value2 === "string") {
    if (field2 === "status") return statusWord(value2);
    return NOT_FINITE2.test(value2) ? decimal(value2) : value2;
  }
  if (value2 === null) return decimal(null);
  if (SHARE.test(field2)) return percent(value2);
  if (field2.startsWith("memory.")) return bytes(value2);
  if (field2.endsWith(".init_scale")) return scale(value2);
  if (field2 === "steps_per_second") return count(value2);
  if (/loss$/.test(field2)) return decimal(value2);
  return Number.isInteger(value2) && Math.abs(value2) < 1e15 ? count(value2) : axisNumber(Number(value2.toPrecision(4)));
}

// mixwidgets/widgets/training_lab/panel.ts
function panel(close) {
  const heading = h("h4", { id: uniqueId("panel"), tabindex: -1 });
  const button = h("button", { type: "button" }, t("lab.close"));
  const body = h("div", { class: "mw-panel-body" });
  const element = h("section", { class: "mw-panel", "aria-labelledby": heading.id, hidden: true }, h("div", { class: "mw-head" }, heading, button), body);
  let from;
  let isExpected = false;
  button.addEventListener("click", () => {
    close();
    from?.focus();
  });
  return {
    element,
    body,
    title: (text) => {
      const opens = element.hidden && text !== void 0;
      element.hidden = text === void 0;
      setText(heading, text ?? "");
      if (opens && isExpected) heading.focus();
      if (opens) isExpected = false;
    },
    expect: (button2) => {
      from = button2;
      isExpected = element.hidden === true;
    }
  };
}

// mixwidgets/widgets/training_lab/comparison.ts
function comparisonPanel(close) {
  const { element, body, title, expect } = panel(close);
  let drawn = "";
  const show2 = (comparison, names, styles) => {
    const isOpen = isComparison(comparison);
    title(isOpen ? t("lab.compared", { count: comparison.runs.length }) : void 0);
    if (!isOpen) return;
    const heads = comparison.runs.map((id) => ({ name: names.get(id) ?? id, style: styles.get(id) }));
    const key = JSON.stringify([comparison, heads]);
    if (key === drawn) return;
    drawn = key;
    body.replaceChildren(tableOf(comparison, heads));
  };
  return { element, expect, show: show2 };
}
function isComparison(value2) {
  return Array.isArray(value2?.["runs"]) && value2["runs"].length > 0 && Array.isArray(value2["rows"]);
}
function tableOf({ rows }, heads) {
  const part = (kind, heading) => {
    const some = rows.filter((row) => row.kind === kind);
    const lines = some.map(({ field: field2, values }) => h(
      "tr",
      { role: "row" },
      h("th", { scope: "row", role: "rowheader", title: field2 }, fieldName(field2)),
      ...heads.map(({ name }, i) => h("td", { role: "cell", "data-run": name, class: "mw-num" }, fieldValue(field2, values[i] ?? null)))
    ));
    const head = h("tr", { role: "row" }, h("th", { scope: "rowgroup", role: "rowheader", class: "mw-part", colspan: heads.length + 1 }, heading));
    return h("tbody", { role: "rowgroup" }, head, ...lines);
  };
  const columns = heads.map(({ name, style }) => {
    const sample = lineSample();
    sample.show(style);
    const drawn = style === void 0 ? null : sample.element;
    return h("th", { scope: "col", role: "columnheader" }, h("span", { class: "mw-row" }, drawn, name));
  });
  const isSame = !rows.some((row) => row.kind === "setting");
  const table = h(
    "table",
    { role: "table", "aria-label": t("lab.comparison") },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { role: "columnheader", scope: "col" }, t("lab.field")), ...columns)),
    part("setting", t(isSame ? "lab.same_settings" : "lab.settings")),
    part("result", t("lab.results"))
  );
  return h("div", { class: "mw-comparison", role: "region", "aria-label": t("lab.comparison"), tabindex: 0 }, table);
}

// js/ui/buttons.ts
function action(text, act, kind = "") {
  const element = h("button", { type: "button", class: kind || void 0 }, text);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-disabled") !== "true") act();
  });
  return {
    element,
    allow: (reason, hint2 = "") => set(element, { "aria-disabled": reason !== "" && "true", title: reason || hint2 || void 0 }),
    name: (wanted) => setText(element, wanted)
  };
}

// mixwidgets/widgets/training_lab/fields.ts
function field(label, control, ...below) {
  control.id = uniqueId("field");
  return h("div", { class: "mw-field" }, h("label", { for: control.id }, label), control, ...below);
}
function hint(text = "") {
  return h("span", { class: "mw-hint", id: uniqueId("hint") }, text);
}
function textField({ label, about, parse, write }, choose) {
  const input = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 8 });
  const words2 = hint(about);
  const error = h("span", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  set(input, { "aria-describedby": `${error.id} ${words2.id}` });
  let shown = null;
  const read = () => {
    const found = parse(input.value);
    const isWrong = "problem" in found;
    set(input, { "aria-invalid": isWrong && "true" });
    setText(error, isWrong ? found.problem : "");
    return isWrong ? null : found.value;
  };
  input.addEventListener("change", () => {
    const value2 = read();
    if (value2 === null || write(value2) === shown) return;
    shown = write(value2);
    choose(value2);
  });
  const show2 = (value2) => {
    if (write(value2) === shown) return;
    shown = write(value2);
    input.value = shown;
    read();
  };
  return { element: field(label, input, words2, error), input, read, show: show2 };
}

// mixwidgets/widgets/training_lab/recipe_words.ts
var SHORT2 = {
  float32: "FP32",
  float16: "FP16",
  bfloat16: "BF16",
  float8_e4m3fn: "FP8 E4M3",
  float8_e5m2: "FP8 E5M2",
  mxfp8_e4m3: "MXFP8",
  mxfp4: "MXFP4",
  nvfp4: "NVFP4"
};
var short = (format) => SHORT2[format] ?? format;
function grouped(recipes) {
  const groups = new Map(GROUPS.map((key) => [key, []]));
  for (const choice of recipes) groups.get(groupOf(choice)).push(choice);
  return [...groups].filter(([, some]) => some.length > 0).map(([key, some]) => ({ heading: t(key), recipes: some }));
}
var GROUPS = ["lab.group_float32", "lab.group_float16", "lab.group_bfloat16", "lab.group_operands", "lab.group_amp"];
function groupOf({ loop, operands: operands2, compute_format }) {
  if (loop === "amp") return "lab.group_amp";
  if (operands2) return "lab.group_operands";
  return compute_format === "float16" ? "lab.group_float16" : compute_format === "bfloat16" ? "lab.group_bfloat16" : "lab.group_float32";
}
function recipe(choice) {
  return sentences([...numbers(choice), ...operands(choice), scaling(choice), ...departures(choice)]);
}
function brief(choice) {
  const format = short(choice.compute_format);
  const { operands: rounded, loss_scale, loop } = choice;
  if (choice.compute_format === "float32") return t("lab.recipe_fp32");
  if (rounded) {
    const [forward, backward] = [short(rounded.forward), short(rounded.backward)];
    const formats = forward === backward ? t("lab.brief_operands", { forward }) : t("lab.brief_operands_two", { forward, backward });
    const scaled = rounded.scaling === "current" ? t("lab.brief_current") : rounded.scaling === "delayed" ? t("lab.brief_delayed") : rounded.forward.startsWith("float") ? t("lab.brief_not_scaled") : "";
    return listed([formats, scaled, rounded.gradient_rounding === "stochastic" ? t("lab.brief_operands_stochastic") : ""]);
  }
  const stored = loop === "amp" ? t("lab.brief_amp", { format }) : choice.master_weights ? t("lab.brief_masters", { format }) : choice.optimizer_format === choice.compute_format ? t("lab.brief_half_optimizer", { format }) : t(choice.weight_rounding === "stochastic" ? "lab.brief_stochastic" : "lab.brief_nearest", { format });
  const scaling2 = loss_scale.kind === "dynamic" ? t("lab.brief_dynamic") : loss_scale.kind === "static" ? t("lab.brief_static", { scale: scale(loss_scale.init_scale) }) : choice.compute_format === "float16" ? t("lab.brief_unscaled") : "";
  return listed([stored, choice.fp32_ops.includes("softmax") ? "" : t("lab.brief_naive_softmax", { format }), scaling2]);
}
function numbers(choice) {
  const format = short(choice.compute_format);
  if (choice.compute_format === "float32") return [t("lab.recipe_fp32")];
  if (choice.loop === "amp") return [t("lab.recipe_amp", { format })];
  if (choice.master_weights) return [t("lab.recipe_half", { format })];
  const own = choice.optimizer_format === choice.compute_format;
  return [
    t("lab.recipe_no_masters", { format }),
    own ? t("lab.recipe_half_optimizer", { format }) : choice.weight_rounding === "stochastic" ? t("lab.recipe_stochastic", { format }) : t("lab.recipe_nearest", { format })
  ];
}
function operands({ operands: operands2 }) {
  if (!operands2) return [];
  const forward = short(operands2.forward);
  const backward = short(operands2.backward);
  const scaled = operands2.scaling === "current" ? t("lab.recipe_scaled_current") : operands2.scaling === "delayed" ? t("lab.recipe_scaled_delayed") : operands2.forward.startsWith("float") ? t("lab.recipe_scaled_none") : "";
  return [
    forward === backward ? t("lab.recipe_operands", { forward }) : t("lab.recipe_operands_two", { forward, backward }),
    scaled,
    operands2.gradient_rounding === "stochastic" ? t("lab.recipe_operands_stochastic") : ""
  ];
}
function scaling({ compute_format, loss_scale }) {
  const { kind, init_scale, growth_factor, backoff_factor, growth_interval } = loss_scale;
  if (kind === "static") return t("lab.recipe_static", { scale: scale(init_scale) });
  if (kind === "none") return compute_format === "float32" ? "" : t("lab.recipe_unscaled");
  return t("lab.recipe_dynamic", {
    scale: scale(init_scale),
    backoff: String(backoff_factor),
    growth: String(growth_factor),
    interval: count(growth_interval)
  });
}
function departures(choice) {
  if (choice.compute_format === "float32" || choice.loop === "amp") return [];
  const format = short(choice.compute_format);
  const has = (op) => choice.fp32_ops.includes(op);
  return [
    has("softmax") ? "" : t("lab.recipe_naive_softmax", { format }),
    has("norm") ? "" : t("lab.recipe_narrow_norm", { format }),
    has("loss") ? "" : t("lab.recipe_narrow_loss", { format })
  ];
}

// mixwidgets/widgets/training_lab/recipe_choice.ts
function recipeChoice(recipes, choose) {
  const groups = grouped(recipes);
  const several = h("option", { value: "", hidden: true });
  const select = h(
    "select",
    {},
    several,
    ...groups.map((group) => h("optgroup", { label: group.heading }, ...group.recipes.map(({ name }) => h("option", { value: name }, spaced(name)))))
  );
  const note = h("p", { class: "mw-note", id: uniqueId("recipe") });
  set(select, { "aria-describedby": note.id });
  const inputs = new Map(recipes.map(({ name }) => [name, h("input", { type: "checkbox", value: name })]));
  const fieldsets = groups.map(({ heading, recipes: some }) => h("fieldset", {}, h("legend", {}, heading), ...some.map((one2) => box(one2, inputs.get(one2.name)))));
  const boxes = h("div", { class: "mw-recipes", id: uniqueId("recipes"), role: "group", "aria-label": t("lab.recipes"), hidden: true }, h("div", {}, ...fieldsets));
  const unfold = h("button", { type: "button", "aria-expanded": "false", "aria-controls": boxes.id, title: t("lab.several_hint") }, t("lab.several"));
  const element = h("div", { class: "mw-recipe-field" }, field(t("lab.recipe"), select), unfold);
  const toggle = (open) => {
    boxes.hidden = !open;
    set(unfold, { "aria-expanded": String(open) });
  };
  unfold.addEventListener("click", () => toggle(boxes.hidden === true));
  boxes.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    toggle(false);
    unfold.focus();
  });
  const chosen = () => [...inputs].filter(([, input]) => input.checked).map(([name]) => name);
  const show2 = (names) => {
    for (const [name, input] of inputs) input.checked = names.includes(name);
    setText(several, t("lab.several_chosen", { count: names.length }));
    select.value = names.length === 1 ? names[0] : "";
    const one2 = names.length === 1 ? recipes.find(({ name }) => name === names[0]) : void 0;
    setText(note, one2 ? recipe(one2) : listed(names.map(spaced)));
  };
  const take = (names) => {
    show2(names);
    choose(names);
  };
  select.addEventListener("change", () => take([select.value]));
  for (const input of inputs.values()) {
    input.addEventListener("change", () => {
      if (chosen().length > 0) return take(chosen());
      input.checked = true;
      setText(note, t("lab.no_recipe"));
    });
  }
  return { element, boxes, note, chosen, show: show2 };
}
function box(choice, input) {
  const about = h("span", { class: "mw-recipe-words", id: uniqueId("about") }, brief(choice));
  set(input, { "aria-describedby": about.id });
  return h("div", { class: "mw-recipe" }, h("label", {}, input, spaced(choice.name)), about);
}

// mixwidgets/widgets/training_lab/controls.ts
function controls({ tasks, recipes, devices }, on) {
  const task = h("select", {}, ...tasks.map((one2) => h("option", { value: one2.name }, one2.title)));
  const device = h("select", {}, ...devices.map((name) => h("option", { value: name }, name)));
  const taskNote = h("p", { class: "mw-note", id: uniqueId("task") });
  const deviceNote = hint();
  const sum = h("span", { class: "mw-note" });
  set(task, { "aria-describedby": taskNote.id });
  set(device, { "aria-describedby": deviceNote.id });
  const recipe2 = recipeChoice(recipes, (names) => {
    explain();
    on.choose({ recipe: oneOrMore(names) });
  });
  const steps = textField(
    { label: t("lab.steps"), about: t("lab.steps_note"), parse: readSteps, write: String },
    (value2) => on.choose({ steps: value2 })
  );
  const seeds = textField(
    { label: t("lab.seeds"), about: t("lab.seeds_note"), parse: readSeeds, write: seedsText },
    (value2) => {
      explain();
      on.choose({ seed: oneOrMore(value2) });
    }
  );
  seeds.input.addEventListener("input", () => explain());
  task.addEventListener("change", () => {
    explain();
    on.choose({ task: task.value });
  });
  device.addEventListener("change", () => {
    explain();
    on.choose({ device: device.value });
  });
  const launch = action(t("lab.launch"), () => {
    const [stepCount, some] = [steps.read(), seeds.read()];
    if (stepCount === null) steps.input.focus();
    else if (some === null) seeds.input.focus();
    else on.launch({ task: task.value, recipe: oneOrMore(recipe2.chosen()), steps: stepCount, seed: oneOrMore(some), device: device.value });
  }, "mw-primary");
  const stop = action(t("lab.stop"), on.stop);
  const stopAll = action(t("lab.stop_all"), on.stopAll);
  const explain = () => {
    setText(taskNote, tasks.find((one2) => one2.name === task.value)?.explanation ?? "");
    const name = device.value;
    setText(deviceNote, t(name.startsWith("cuda") ? "lab.device_is_cuda" : name === "cpu" ? "lab.device_is_cpu" : "lab.device_is_auto"));
    const found = readSeeds(seeds.input.value);
    const [a, b] = [recipe2.chosen().length, "value" in found ? found.value.length : 1];
    launch.name(a * b === 1 ? t("lab.launch") : t("lab.launch_several", { count: count(a * b) }));
    const [some, many] = [t(a === 1 ? "lab.recipes_one" : "lab.recipes_many", { count: a }), t(b === 1 ? "lab.seeds_one" : "lab.seeds_count", { count: b })];
    setText(sum, a * b === 1 ? "" : t("lab.runs_made", { recipes: some, seeds: many }));
  };
  const said = h("p", { role: "alert" });
  const element = h(
    "div",
    { class: "mw-lab-controls" },
    h(
      "div",
      { class: "mw-row mw-fields" },
      field(t("lab.task"), task),
      recipe2.element,
      field(t("lab.device"), device, deviceNote),
      steps.element,
      seeds.element
    ),
    recipe2.boxes,
    h("div", { class: "mw-lab-notes" }, taskNote, recipe2.note),
    h("div", { class: "mw-row mw-actions" }, launch.element, stop.element, stopAll.element, sum),
    said
  );
  return {
    element,
    show: (choice) => {
      task.value = choice.task;
      if (!devices.includes(choice.device)) device.replaceChildren(...[...devices, choice.device].map((name) => h("option", { value: name }, name)));
      device.value = choice.device;
      recipe2.show(listOf(choice.recipe));
      steps.show(choice.steps);
      seeds.show(listOf(choice.seed));
      explain();
    },
    allow: (reasons, stops) => {
      launch.allow(reasons.launch);
      stop.allow(reasons.stop, stops);
      stopAll.allow(reasons.stopAll);
    },
    say: (text, isError) => {
      set(said, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
      setText(said, text);
    }
  };
}

// mixwidgets/widgets/training_lab/gradients_panel.ts
var managerOf = (model) => {
  const manager = model.widget_manager;
  return typeof manager?.create_view === "function" && typeof manager.get_model === "function" ? manager : void 0;
};
function gradientsPanel(manager, close) {
  const { element, body, title, expect } = panel(close);
  const why = h("p", { class: "mw-note", id: uniqueId("why") }, t("lab.gradients_by_hand"));
  const line = h("code", { class: "mw-num mw-python", tabindex: 0, role: "group", "aria-labelledby": why.id });
  const byHand = h("div", { class: "mw-stack-tight" }, why, line);
  let shown = null;
  let view;
  const clear = () => {
    view?.remove();
    view = void 0;
    body.replaceChildren();
  };
  const open = async (reference) => {
    try {
      const model = await manager.get_model(reference.replace(/^IPY_MODEL_/, ""));
      if (shown !== reference) return;
      const made = await manager.create_view(model);
      if (shown !== reference) return made.remove();
      view = made;
      body.replaceChildren(made.el);
    } catch {
      if (shown === reference) body.replaceChildren(byHand);
    }
  };
  const show2 = (run, reference) => {
    title(run && t("lab.gradients_of", { name: run.name }));
    setText(line, run ? `mw.LossScaleExplorer(mw.open_run(${JSON.stringify(run.path)}))` : "");
    const wanted = run ? manager && reference || "" : null;
    if (wanted === shown) return;
    clear();
    shown = wanted;
    if (wanted) void open(wanted);
    else if (run) body.replaceChildren(byHand);
  };
  const remove = () => {
    shown = null;
    clear();
  };
  return { element, expect, show: show2, remove };
}

// mixwidgets/widgets/training_lab/progress.ts
function progressArea() {
  const bar = h("progress", { max: 1, "aria-label": t("lab.progress") });
  const [steps, figures, taken] = [h("span", { class: "mw-num" }), h("span", { class: "mw-num" }), h("p", { class: "mw-note mw-memory" })];
  const failed = h("p", { class: "mw-callout" });
  const element = h("div", { class: "mw-progress" }, bar, h("div", { class: "mw-progress-text" }, steps, figures), taken, failed);
  const show2 = (rows, run, names, selected) => {
    set(bar, { value: run?.steps ? run.step / run.steps : 0 });
    const name = run && rows.filter(isAlive).length > 1 ? `${names.get(run.id)}: ` : "";
    const others = rows.filter((row) => isWaiting(row) && row !== run).length;
    const line = others > 0 ? ` · ${t("lab.waiting", { count: count(others) })}` : "";
    setText(steps, run ? name + progress(run) + line : t("lab.progress_none"));
    setText(figures, run ? newest(run) : "");
    setText(taken, run ? memory(run) : "");
    const failure = rows.find((row) => isFailure(row) && (row === run || selected.includes(row.id)));
    set(failed, { hidden: failure === void 0 });
    setText(failed, failure ? t("lab.failure", { name: names.get(failure.id), status: status(failure), message: failure.message }) : "");
  };
  return { element, show: show2 };
}
var QUIET_MS = 5e3;
function news() {
  const element = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let alive;
  let last = { about: "", at: -Infinity };
  const tell = (rows, run, names) => {
    const before = alive;
    alive = new Set(rows.filter(isAlive).map((row) => row.id));
    const about = run && isAlive(run) ? `${run.id} ${run.status}` : "";
    const now = performance.now();
    const isNew = about !== last.about;
    const isDue = about !== "" && (isNew || now - last.at >= QUIET_MS);
    const ended = rows.filter((row) => !isAlive(row) && before?.has(row.id));
    if (isDue || ended.length > 0) last = { about, at: now };
    if (!before) return;
    const told = [...ended, ...isDue ? [run] : []];
    if (told.length > 0) setText(element, inSeries(told.map((row) => spoken(row, names.get(row.id)))));
  };
  return { element, tell };
}

// mixwidgets/widgets/training_lab/rows.ts
function merged(over, live) {
  const byId = new Map([...over, ...live].map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => a.id < b.id ? 1 : -1);
}
function runAtHand(rows, selected) {
  const alive = rows.filter(isAlive);
  const chosen = selected.length === 1 ? alive.find((row) => row.id === selected[0]) : void 0;
  const next = [...alive].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  return chosen ?? alive.find((row) => row.status === "running") ?? next[0] ?? rows[0];
}
function runNames(rows) {
  const count2 = /* @__PURE__ */ new Map();
  for (const row of rows) count2.set(row.recipe, (count2.get(row.recipe) ?? 0) + 1);
  const seen = /* @__PURE__ */ new Map();
  const names = /* @__PURE__ */ new Map();
  for (const row of [...rows].reverse()) {
    const number3 = (seen.get(row.recipe) ?? 0) + 1;
    seen.set(row.recipe, number3);
    const plain = spaced(row.recipe);
    names.set(row.id, count2.get(row.recipe) === 1 ? plain : `${plain} #${number3}`);
  }
  return names;
}
function assignStyles(before, shown) {
  const after = /* @__PURE__ */ new Map();
  for (const id of shown) {
    const kept2 = before.get(id);
    if (kept2 !== void 0) after.set(id, kept2);
  }
  const taken = new Set(after.values());
  for (const id of shown) {
    if (after.has(id)) continue;
    let style = 0;
    while (taken.has(style)) style += 1;
    taken.add(style);
    after.set(id, style);
  }
  return after;
}

// mixwidgets/widgets/training_lab/selection.ts
function selection(on) {
  let over = [];
  let one2;
  const compare2 = action(t("lab.compare"), () => on.compare(over.map((row) => row.id)));
  const open = action(t("lab.open_gradients"), () => one2 && on.open(one2.id));
  const note = h("p", { class: "mw-note", id: uniqueId("selection") }, t("lab.selection_note"));
  const element = h("div", { class: "mw-stack-tight" }, h("div", { class: "mw-row" }, compare2.element, open.element), note);
  const show2 = (selected, refusal, openNeedsKernel) => {
    over = selected.filter((row) => !isAlive(row));
    one2 = selected.length === 1 ? selected[0] : void 0;
    compare2.allow(over.length < 2 ? t("lab.compare_needs") : refusal);
    open.allow(!one2 ? t("lab.open_needs_one") : !one2.gradients ? t("lab.open_needs_snapshot") : openNeedsKernel ? refusal : "");
  };
  return { element, compare: compare2.element, open: open.element, show: show2 };
}

// mixwidgets/widgets/training_lab/table.ts
function runTable(toggle) {
  const body = h("tbody");
  const column = (text, kind = "mw-cell") => h("th", { scope: "col", class: kind }, text);
  const [score, last] = [column(""), column("")];
  const head = h("tr", {}, column(t("lab.run"), ""), score, column(t("lab.loss")), last);
  const caption = h("p", { class: "mw-note", id: uniqueId("caption") });
  const table = h("table", { "aria-describedby": caption.id }, h("thead", {}, head), body);
  const empty = h("p", { class: "mw-note" }, t("lab.no_runs"));
  const region = h("div", { class: "mw-runs", role: "region", "aria-label": t("lab.runs"), tabindex: 0 }, table, empty);
  const element = h("div", { class: "mw-stack-tight" }, region, caption);
  const lines = /* @__PURE__ */ new Map();
  const show2 = (rows, names, styles) => {
    set(table, { hidden: rows.length === 0 });
    set(empty, { hidden: rows.length > 0 });
    const metrics = new Set(rows.map(metricOf).filter((name) => name !== void 0));
    setText(score, metrics.size === 1 ? metricName([...metrics][0]) : t("lab.score"));
    table.classList.toggle("mw-scores-named", metrics.size > 1);
    const isFlushedKnown = rows.some((row) => row.flushed !== null);
    setText(last, t(isFlushedKnown ? "lab.flushed" : "lab.skipped"));
    setText(caption, t(isFlushedKnown ? "lab.table_caption_flushed" : "lab.table_caption"));
    const wanted = new Set(rows.map((row) => row.id));
    for (const [id, line] of lines) {
      if (wanted.has(id)) continue;
      line.element.remove();
      lines.delete(id);
    }
    let next = body.firstElementChild;
    for (const row of rows) {
      let line = lines.get(row.id);
      if (!line) lines.set(row.id, line = tableLine(row.id, toggle));
      if (next === line.element) next = next.nextElementSibling;
      else body.insertBefore(line.element, next);
      line.show(row, names.get(row.id) ?? row.recipe, styles.get(row.id), metrics.size > 1, isFlushedKnown);
    }
  };
  return { element, show: show2 };
}
function details(row, withSkips) {
  const weight = row.loss_weight === 1 ? [] : [t("lab.loss_weight_is", { weight: axisNumber(row.loss_weight) })];
  const seed = row.seed === null ? t("lab.watched") : t("lab.seed_is", { seed: row.seed });
  const skips = withSkips && row.skipped > 0 ? [t("lab.skipped_is", { count: count(row.skipped) })] : [];
  return [seed, ...weight, status(row), ...skips].join(" · ");
}
function tableLine(id, toggle) {
  const box2 = h("input", { type: "checkbox" });
  box2.addEventListener("change", () => toggle(id, box2.checked));
  const sample = lineSample();
  const title = h("span", { class: "mw-run-name" });
  const detail = h("span", { class: "mw-run-detail" });
  const reason = h("span", { class: "mw-run-detail mw-run-reason" });
  const cell = () => h("td", { class: "mw-cell mw-num" });
  const [score, loss, last] = [cell(), cell(), cell()];
  const element = h(
    "tr",
    {},
    h("th", { scope: "row" }, h("label", {}, box2, sample.element, title), detail, reason),
    score,
    loss,
    last
  );
  let drawn = [];
  const show2 = (...now) => {
    if (now.every((part, i) => part === drawn[i])) return;
    drawn = now;
    const [row, name, style, named, flushed] = now;
    box2.checked = style !== void 0;
    sample.show(style);
    setText(title, name);
    setText(detail, details(row, flushed));
    const why = isFailure(row) ? row.message : "";
    setText(reason, why);
    set(reason, { title: why || void 0, hidden: why === "" });
    const own = metricOf(row);
    const value2 = own === void 0 ? "–" : metric(own, row.metrics[own] ?? null);
    setText(score, named && own !== void 0 ? `${value2} ${metricName(own)}` : value2);
    setText(loss, decimal(row.metrics["loss"] ?? null));
    setText(last, flushed ? percent(row.flushed) : row.scaled ? count(row.skipped) : "–");
  };
  return { element, show: show2 };
}

// mixwidgets/widgets/training_lab/page.ts
var SLOW = { launch: "lab.slow_launch", stop: "lab.slow_stop", stop_all: "lab.slow_stop", compare: "lab.slow", gradients: "lab.slow" };
var DRAWN = ["_rows", "_live_rows", "_settled", "_live", "_shown", "_comparison", "_explorer", "_explorer_run", "_notice"];
var CHOSEN = ["task", "recipe", "steps", "seed", "device"];
function render({ model, el }) {
  const { root, head } = card(el, t("lab.title"));
  const where = h("p", { class: "mw-note" });
  head.append(where);
  let waiting = /* @__PURE__ */ new Set();
  let hasKernel = true;
  const link = kernelLink(model, {
    waiting: (kinds) => {
      if (kinds.size > waiting.size) panel2.say("", false);
      waiting = new Set(kinds);
      allow();
    },
    slow: (kind) => panel2.say(t(SLOW[kind]), false),
    refused: (text) => panel2.say(text, true),
    absent: () => {
      hasKernel = false;
      panel2.say(t("lab.no_kernel"), false);
      schedule();
    }
  });
  const tell = (name, value2) => {
    model.set(name, value2);
    model.save_changes();
  };
  const panel2 = controls({ tasks: model.get("_tasks"), recipes: model.get("_recipes"), devices: model.get("_devices") ?? ["auto"] }, {
    choose: (choice) => {
      for (const [name, value2] of Object.entries(choice)) model.set(name, value2);
      model.save_changes();
    },
    launch: (experiment) => link.ask("launch", { experiment }),
    stop: () => atHand && link.ask("stop", { run: atHand.id }),
    stopAll: () => link.ask("stop_all")
  });
  const progress2 = progressArea();
  const plots = charts();
  const table = runTable((id, shown) => {
    const others = model.get("_shown").filter((one2) => one2 !== id);
    tell("_shown", shown ? [...others, id] : others);
    draw();
  });
  const manager = managerOf(model);
  let openByHand = null;
  const picked = selection({
    compare: (runs) => {
      compared.expect(picked.compare);
      link.ask("compare", { runs });
    },
    open: (run) => {
      gradients.expect(picked.open);
      if (manager) return link.ask("gradients", { run });
      openByHand = run;
      draw();
    }
  });
  const compared = comparisonPanel(() => {
    if (hasKernel) link.ask("compare", { runs: [] });
    else tell("_comparison", {});
  });
  const gradients = gradientsPanel(manager, () => {
    openByHand = null;
    if (manager && hasKernel) link.ask("gradients", { run: null });
    else tell("_explorer", null);
    draw();
  });
  const notice = h("p", { class: "mw-note" });
  const spoken2 = news();
  const columns = h("div", { class: "mw-lab-columns" }, plots.element, h("div", { class: "mw-stack-tight" }, table.element, picked.element));
  root.append(panel2.element, progress2.element, columns, compared.element, gradients.element, notice, spoken2.element);
  let frame = 0;
  let rows = [];
  let atHand;
  let styles = /* @__PURE__ */ new Map();
  const allow = () => {
    const refusal = hasKernel ? "" : t("lab.no_kernel");
    const asking = (kind) => refusal || (waiting.has(kind) ? t("lab.asking") : "");
    const name = atHand && canStop(atHand) ? runNames(rows).get(atHand.id) : "";
    const isWatched = atHand !== void 0 && isAlive(atHand) && !canStop(atHand);
    panel2.allow({
      launch: asking("launch"),
      stop: name ? asking("stop") : refusal || t(isWatched ? "lab.watched_goes_on" : "lab.nothing_runs"),
      stopAll: rows.some(canStop) ? asking("stop_all") : refusal || t("lab.nothing_runs")
    }, name && t("lab.stops", { name }));
    const selected = model.get("_shown").map((id) => rows.find((row) => row.id === id)).filter((row) => row !== void 0);
    picked.show(selected, refusal, manager !== void 0);
  };
  const draw = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    rows = merged(model.get("_rows"), model.get("_live_rows") ?? []);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const names = runNames(rows);
    const shown = model.get("_shown").filter((id2) => byId.has(id2));
    styles = assignStyles(styles, shown);
    atHand = runAtHand(rows, shown);
    setText(where, atHand ? place(atHand) : "");
    progress2.show(rows, atHand, names, shown);
    table.show(rows, names, styles);
    const runs = [...styles].map(([id2, style]) => ({ row: byId.get(id2), name: names.get(id2), style, curves: curvesOf(id2) }));
    plots.draw(Math.max(240, Math.round(plots.element.clientWidth) || 560), runs, withGradients(runs, atHand));
    compared.show(model.get("_comparison") ?? {}, names, styles);
    const id = openByHand ?? (model.get("_explorer") ? model.get("_explorer_run") : null);
    gradients.show(id ? { name: names.get(id) ?? id, path: `${model.get("_runs_dir")}/${id}` } : void 0, model.get("_explorer"));
    const unread = model.get("_notice");
    const missing = hasKernel ? [] : runs.filter(({ row }) => !(row.id in model.get("_settled")) && !(row.id in model.get("_live")));
    set(notice, { hidden: unread === "" && missing.length === 0 });
    setText(notice, sentences([unread, missing.length > 0 ? t("lab.no_saved_curves", { names: listed(missing.map(({ name }) => name)) }) : ""]));
    allow();
    spoken2.tell(rows, atHand, names);
  };
  const decoded = /* @__PURE__ */ new WeakMap();
  const curvesOf = (id) => {
    const wire = model.get("_live")[id] ?? model.get("_settled")[id];
    if (!wire) return decode(void 0);
    if (!decoded.has(wire)) decoded.set(wire, decode(wire));
    return decoded.get(wire);
  };
  const schedule = () => {
    frame ||= requestAnimationFrame(draw);
  };
  const choose = () => {
    const [task, recipe2, steps, seed] = [model.get("task"), model.get("recipe"), model.get("steps"), model.get("seed")];
    panel2.show({ task, recipe: recipe2, steps, seed, device: model.get("device") ?? "auto" });
  };
  for (const name of DRAWN) model.on(`change:${name}`, schedule);
  for (const name of CHOSEN) model.on(`change:${name}`, choose);
  const resize = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(schedule);
  resize?.observe(columns);
  panel2.say("", false);
  choose();
  draw();
  return () => {
    link.close();
    gradients.remove();
    resize?.disconnect();
    cancelAnimationFrame(frame);
    for (const name of DRAWN) model.off(`change:${name}`, schedule);
    for (const name of CHOSEN) model.off(`change:${name}`, choose);
    root.remove();
  };
}
function withGradients(shown, atHand) {
  const known = shown.filter(({ curves }) => curves.shares.length > 0);
  if (shown.length === 1) return shown[0];
  return known.find(({ row }) => row.id === atHand?.id) ?? known.sort((a, b) => a.row.id < b.row.id ? 1 : -1)[0];
}
function accept2(wanted, get) {
  const names = (all) => all.map(({ name }) => name);
  return accept(wanted, { tasks: names(get("_tasks")), recipes: names(get("_recipes")), devices: get("_devices") ?? ["auto"] });
}
var stateValue = (name, value2) => name === "recipe" || name === "seed" ? listOf(value2).join(",") : value2;
var page_default = { render, accept: accept2, stateValue };
export {
  page_default as default
};
