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
var en_default = /* messages */ {"common.lang":"en","common.list":"{one}, {more}","common.series":"{one}; {more}","common.sentences":"{one} {more}","common.projector":"Projector size","common.more":"more …","common.more_of":"{what}: more","common.formats":"Format","common.value":"value","common.code":"code","sweep.title":"Sweep","sweep.progress":"cells that are over","sweep.done":"{count} of {total} done","sweep.running":"{count} running","sweep.waiting":"{count} waiting","sweep.failed":"{count} failed","sweep.stopped":"{count} stopped","sweep.nothing":"nothing to do","sweep.failed_cells":"Failed cells","sweep.more":"and {count} more: sweep.failures has them all","sweep.again":"The same line again runs what is missing: what is done is kept.","sweep.stop":"■ Stop","sweep.over":"The sweep is over.","sweep.spoken_over":"The sweep is over: {words}","sweep.asked":"The kernel has been asked; running cells end with the step that they are at.","sweep.slow":"The kernel has not answered yet: cells end with the step that they are at, or the kernel is busy with a cell.","sweep.no_kernel":"A saved page: the sweep is as it was when it was saved, and there is no kernel to stop it."};

// js/ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill2(en_default[key], args);
}
var sentences = (parts) => joined("common.sentences", parts);
function joined(key, parts) {
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? "" : said.reduce((one, more) => t(key, { one, more }));
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

// mixwidgets/widgets/sweep_progress/page.ts
var WORDS = ["done", "running", "waiting", "failed", "stopped"];
var DRAWN = ["_counts", "_failures", "_is_over"];
var QUIET_MS = 5e3;
function render({ model, el }) {
  const { root, head } = card(el, t("sweep.title"));
  let hasKernel = true;
  let isAsked = false;
  const link = kernelLink(model, {
    waiting: (kinds) => {
      isAsked = kinds.size > 0;
      if (isAsked) say("", false);
      draw();
    },
    slow: () => say(t("sweep.slow"), false),
    refused: (text) => say(text, true),
    absent: () => {
      hasKernel = false;
      draw();
    }
  });
  const stop = action(t("sweep.stop"), () => link.ask("stop"));
  head.append(stop.element);
  const bar = h("progress", { "aria-label": t("sweep.progress") });
  const counts = h("p", { class: "mw-num mw-sweep-counts" });
  const note = h("p", { class: "mw-note" });
  const message = h("p", { "aria-live": "polite" });
  const failures = h("ul", {});
  const more = h("p", { class: "mw-note" });
  const failed = h("section", { class: "mw-stack-tight mw-sweep-failed", "aria-label": t("sweep.failed_cells"), tabindex: 0 }, h("h4", {}, t("sweep.failed_cells")), failures, more);
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  root.append(h("div", { class: "mw-stack-tight" }, bar, counts, note, message), failed, spoken);
  function say(text, isError) {
    set(message, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
    setText(message, text);
  }
  const draw = () => {
    const number = (word) => model.get("_counts")[word] ?? 0;
    const total = WORDS.reduce((sum, word) => sum + number(word), 0);
    const ended = number("done") + number("failed") + number("stopped");
    const isOver = model.get("_is_over");
    set(bar, { max: Math.max(1, total), value: total === 0 ? 1 : ended });
    const told = WORDS.filter((word) => word === "done" || number(word) > 0);
    const words = told.map((word) => t(`sweep.${word}`, { count: number(word), total })).join(" · ");
    setText(counts, total === 0 ? t("sweep.nothing") : words);
    const isWhole = number("done") === total;
    setText(note, sentences([hasKernel ? "" : t("sweep.no_kernel"), isOver && !isWhole ? t("sweep.again") : ""]));
    set(note, { hidden: note.textContent === "" });
    stop.allow(isOver ? t("sweep.over") : !hasKernel ? t("sweep.no_kernel") : isAsked ? t("sweep.asked") : "");
    list();
    tell(words, isOver, number("failed"));
  };
  let listed;
  const list = () => {
    const found = model.get("_failures");
    if (found === listed) return;
    listed = found;
    set(failed, { hidden: found.length === 0 });
    failures.replaceChildren(...found.map(({ name, why }) => h("li", {}, h("strong", {}, name), h("span", {}, why))));
    const others = (model.get("_counts").failed ?? 0) - found.length;
    setText(more, others > 0 ? t("sweep.more", { count: others }) : "");
    set(more, { hidden: others <= 0 });
  };
  let last;
  const tell = (words, isOver, failures2) => {
    const now = performance.now();
    const isDue = last && words !== last.words && (isOver || failures2 > last.failed || now - last.at >= QUIET_MS);
    if (isDue) setText(spoken, isOver ? t("sweep.spoken_over", { words }) : words);
    if (!last || isDue) last = { words, isOver, failed: failures2, at: now };
  };
  let frame = 0;
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
  for (const name of DRAWN) model.on(`change:${name}`, schedule);
  say("", false);
  draw();
  return () => {
    link.close();
    cancelAnimationFrame(frame);
    for (const name of DRAWN) model.off(`change:${name}`, schedule);
    root.remove();
  };
}
var page_default = { render };
export {
  page_default as default
};
