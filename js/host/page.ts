// The host of a saved page: it gives a widget's module its model and its place, and joins the state to the address.

import { setText } from "../ui/dom.ts";
import { t } from "../ui/messages.ts";
import { readState, type Traits, writeState } from "./address.ts";
import { type PageModel, pageModel, type Saved, stateOf } from "./model.ts";

interface Data extends Saved {
  readonly module: string;
  /** The traits of the state, and what each is where the address leaves it out. */
  readonly defaults: Traits;
}

/** What a widget's module exports. `accept` checks a state from the address and puts it in the traits' own form. */
interface WidgetModule {
  readonly default: {
    render(props: { model: PageModel; el: HTMLElement; signal: AbortSignal }): unknown;
    accept?(wanted: Traits, get: PageModel["get"]): Traits | null;
    /** What the text says of a trait, where that is not the trait itself; the twin of Python's `_state_value`. */
    stateValue?(name: string, value: unknown): unknown;
  };
}

const element = (id: string) => document.getElementById(id)!;
const note = element("note");

function host(state: Record<string, unknown>, defaults: Traits) {
  const model = pageModel(state, () => {
    setText(note, "");
    try {
      history.replaceState(null, "", "#" + writeState(model.get, defaults));
    } catch {
      // A browser takes only so many addresses a minute: the next edit tells this one's news too.
    }
  });

  function follow({ accept, stateValue }: WidgetModule["default"]): void {
    const text = location.hash.slice(1);
    if (text === "") return setText(note, ""); // it asks for nothing
    const get = (name: string) => (stateValue ? stateValue(name, model.get(name)) : model.get(name));
    const wanted = readState(text, get, defaults);
    const traits = wanted && accept ? accept(wanted, model.get) : wanted;
    for (const [name, value] of Object.entries(traits ?? {})) model.set(name, value);
    setText(note, traits ? "" : t("page.address"));
  }
  return { model, follow };
}

async function load(module: string): Promise<WidgetModule["default"]> {
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: widget } = (await import(address)) as WidgetModule;
  URL.revokeObjectURL(address);
  return widget;
}

async function show(): Promise<void> {
  // The text stays in the page, to be saved with it; what is read from it is let go, but for the state.
  const { module, defaults, ...saved } = JSON.parse(element("data").textContent!) as Data;
  const { model, follow } = host(await stateOf(saved), defaults);
  Object.assign(window, { model }); // for the console: model.get("code")
  const widget = await load(module);
  follow(widget);
  await widget.render({ model, el: element("widget"), signal: new AbortController().signal });
  window.addEventListener("hashchange", () => follow(widget));
}

show().catch((error: unknown) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
});
