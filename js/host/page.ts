// The host of a saved page: it gives a widget's module its model and its place, and joins the state to the address.

import { setText } from "../ui/dom.ts";
import { t } from "../ui/messages.ts";
import { readState, type Traits, writeState } from "./address.ts";
import { type PageModel, pageModel, type Saved } from "./model.ts";

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
const data = JSON.parse(element("data").textContent!) as Data;
const note = element("note");
const model = pageModel(data, writeAddress);

function writeAddress(): void {
  setText(note, "");
  try {
    history.replaceState(null, "", "#" + writeState(model.get, data.defaults));
  } catch {
    // A browser takes only so many addresses a minute: the next edit tells this one's news too.
  }
}

function follow({ accept, stateValue }: WidgetModule["default"]): void {
  const text = location.hash.slice(1);
  if (text === "") return;
  const get = (name: string) => (stateValue ? stateValue(name, model.get(name)) : model.get(name));
  const wanted = readState(text, get, data.defaults);
  const traits = wanted && accept ? accept(wanted, model.get) : wanted;
  for (const [name, value] of Object.entries(traits ?? {})) model.set(name, value);
  setText(note, traits ? "" : t("page.address"));
}

async function show(): Promise<void> {
  const address = URL.createObjectURL(new Blob([data.module], { type: "text/javascript" }));
  const { default: widget } = (await import(address)) as WidgetModule;
  URL.revokeObjectURL(address);
  follow(widget);
  await widget.render({ model, el: element("widget"), signal: new AbortController().signal });
  window.addEventListener("hashchange", () => follow(widget));
}

Object.assign(window, { model }); // for the console: model.get("code")
show().catch((error: unknown) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
});
