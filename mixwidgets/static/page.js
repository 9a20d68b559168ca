// js/ui/dom.ts
function set(element2, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === void 0 || value === false) {
      element2.removeAttribute(name);
      continue;
    }
    const text = value === true ? "" : String(value);
    if (element2.getAttribute(name) !== text) element2.setAttribute(name, text);
  }
}
function setText(element2, text) {
  if (element2.textContent !== text) element2.textContent = text;
}

// js/messages/en.json
var en_default = /* messages */ {"page.address":"The address does not name anything that this page can show; it shows what it showed before.","page.failed":"This page cannot be shown: {reason}"};

// js/ui/messages.ts
var PLACEHOLDER = /\{(\w+)\}/g;
function t(key, args = {}) {
  return fill(en_default[key], args);
}
function fill(template, args) {
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

// js/host/address.ts
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
function joinStates(texts) {
  return texts.join(";").replace(/;+$/, "");
}
function splitStates(address, count) {
  const texts = address.split(";", count + 1);
  return texts.length > count ? null : [...texts, ...new Array(count - texts.length).fill("")];
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

// js/host/links.ts
function pageLinks(widgets) {
  const found = (selector) => [...document.querySelectorAll(selector)];
  const languages = found("a[rel=alternate]");
  const presets = found("a[href^='#']").map((link) => ({ link, state: link.hash.slice(1) }));
  return {
    /** A preset keeps what the address says of the other widgets, and is marked while its state is `shown`. */
    follow(shown) {
      const [, ...others] = splitStates(location.hash.slice(1), widgets) ?? [];
      for (const link of languages) link.hash = location.hash;
      for (const { link, state } of presets) {
        link.hash = joinStates([state, ...others]);
        set(link, { "aria-current": state === shown && "true" });
      }
    }
  };
}

// js/host/model.ts
async function stateOf({ state, buffers }) {
  for (const { path, data } of buffers) {
    let holder = state;
    for (const step of path.slice(0, -1)) holder = holder[step];
    holder[path.at(-1)] = new DataView(await inflated(data));
  }
  return state;
}
function inflated(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
function pageModel(found, saved) {
  const state = new Map(Object.entries(found));
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

// js/host/page.ts
var KEY = `mixwidgets-answers ${location.pathname}`;
var element = (id) => document.getElementById(id);
var note = element("note");
async function hold({ place, module, defaults, ...saved }, modules, tell) {
  const { accept, stateValue, render } = modules[module];
  const model = pageModel(await stateOf(saved), tell);
  return {
    model,
    isQuestion: element(place).matches(".exercise"),
    write: () => writeState(model.get, defaults),
    read(text) {
      const wanted = readState(text, (name) => stateValue ? stateValue(name, model.get(name)) : model.get(name), defaults);
      return wanted && accept ? accept(wanted, model.get) : wanted;
    },
    show: () => render({ model, el: element(place), signal: new AbortController().signal })
  };
}
function addressOf(held) {
  const links = pageLinks(held.length);
  const brought = held.map(({ write: write2 }) => write2());
  const written2 = ({ write: write2 }, i) => held.length > 1 && write2() === brought[i] ? "" : write2();
  const take = (wanted) => {
    for (const [i, traits] of wanted.entries()) for (const [name, value] of Object.entries(traits)) held[i].model.set(name, value);
  };
  const write = (texts) => {
    if (held.some(({ isQuestion }) => isQuestion)) keep(KEY, joinStates(texts.map((text, i) => held[i].isQuestion ? text : "")));
    const address = joinStates(texts);
    if (address === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", "#" + address);
    } catch {
    }
  };
  return {
    tell() {
      setText(note, "");
      write(held.map(written2));
      links.follow(held[0].write());
    },
    /** The answers that this tab had before the page was opened again. */
    remember() {
      const texts = splitStates(kept(KEY), held.length) ?? [];
      take(texts.map((text, i) => text && held[i].isQuestion && held[i].read(text) || {}));
    },
    /** Take the address as a whole, or nothing of it. Where it does not speak of a site's widget, that is as the page
     * brought it; answers stay, and the address has them again. */
    follow() {
      const texts = splitStates(location.hash.slice(1), held.length);
      const meant = (text, i) => text === "" && held.length > 1 && !held[i].isQuestion ? brought[i] : text;
      const wanted = texts?.map(meant).map((text, i) => text === "" ? {} : held[i].read(text)) ?? [null];
      const isKnown = wanted.every((traits) => traits !== null);
      if (isKnown) take(wanted);
      if (isKnown && held.length > 1) write(held.map((one, i) => one.isQuestion ? written2(one, i) : texts[i]));
      setText(note, isKnown ? "" : t("page.address"));
      links.follow(held[0].write());
    }
  };
}
async function load(module) {
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  URL.revokeObjectURL(address);
  return widget;
}
async function show() {
  const data = JSON.parse(element("data").textContent);
  const modules = await Promise.all(data.modules.map(load));
  const held = await Promise.all(data.widgets.map((saved) => hold(saved, modules, () => address.tell())));
  const address = addressOf(held);
  Object.assign(window, { model: held[0].model });
  address.remember();
  address.follow();
  for (const one of held) await one.show();
  window.addEventListener("hashchange", address.follow);
}
show().catch((error) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
});
