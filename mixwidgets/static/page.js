// ui/dom.ts
function setText(element2, text) {
  if (element2.textContent !== text) element2.textContent = text;
}

// messages/en.json
var en_default = /* messages */ {"page.address":"The address does not name anything that this page can show; it shows what it showed before.","page.failed":"This page cannot be shown: {reason}"};

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

// host/page.ts
var element = (id) => document.getElementById(id);
var note = element("note");
function host(state, defaults) {
  const model = pageModel(state, () => {
    setText(note, "");
    try {
      history.replaceState(null, "", "#" + writeState(model.get, defaults));
    } catch {
    }
  });
  function follow({ accept, stateValue }) {
    const text = location.hash.slice(1);
    if (text === "") return setText(note, "");
    const get = (name) => stateValue ? stateValue(name, model.get(name)) : model.get(name);
    const wanted = readState(text, get, defaults);
    const traits = wanted && accept ? accept(wanted, model.get) : wanted;
    for (const [name, value] of Object.entries(traits ?? {})) model.set(name, value);
    setText(note, traits ? "" : t("page.address"));
  }
  return { model, follow };
}
async function load(module) {
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  URL.revokeObjectURL(address);
  return widget;
}
async function show() {
  const { module, defaults, ...saved } = JSON.parse(element("data").textContent);
  const { model, follow } = host(await stateOf(saved), defaults);
  Object.assign(window, { model });
  const widget = await load(module);
  follow(widget);
  await widget.render({ model, el: element("widget"), signal: new AbortController().signal });
  window.addEventListener("hashchange", () => follow(widget));
}
show().catch((error) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
});
