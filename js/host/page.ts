// The host of a saved page: it gives the modules of its widgets their models and places, and joins the states to the
// address. A page of one widget is what `save` writes; those of a site have several, and links between them.

import { setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { keep, kept } from "#ui/tab.ts";
import { joinStates, readState, splitStates, type Traits, writeState } from "./address.ts";
import { openParts } from "./lesson.ts";
import { pageLinks } from "./links.ts";
import { type PageModel, pageModel, type Saved, stateOf } from "./model.ts";

interface SavedWidget extends Saved {
  /** The id of the element that it stands in. */
  readonly place: string;
  /** Which of the page's modules is its own. */
  readonly module: number;
  /** The traits of the state, and what each is where the address leaves it out. */
  readonly defaults: Traits;
}

interface Data {
  readonly modules: readonly string[];
  readonly widgets: readonly SavedWidget[];
}

/** What a widget's module exports. `accept` returns a state from the address in the traits' own form; for an invalid one null,
 * or a text that says why. */
interface WidgetPage {
  render(props: { model: PageModel; el: HTMLElement; signal: AbortSignal }): unknown;
  accept?(wanted: Traits, get: PageModel["get"]): Traits | string | null;
  /** How the text writes a trait, if not as it is; the twin of Python's `_state_value`. */
  stateValue?(name: string, value: unknown): unknown;
}

type Held = Awaited<ReturnType<typeof hold>>;

const KEY = `mixwidgets-answers ${location.pathname}`;

const isTraits = (found: Traits | string | null): found is Traits => typeof found === "object" && found !== null;
const element = (id: string) => document.getElementById(id)!;
const note = element("note");

async function hold({ place, module, defaults, ...saved }: SavedWidget, modules: readonly WidgetPage[], tell: () => void) {
  const { accept, stateValue, render } = modules[module]!;
  const model = pageModel(await stateOf(saved), tell);
  const said = (name: string) => (stateValue ? stateValue(name, model.get(name)) : model.get(name));
  return {
    place,
    model,
    /** Whether it is a question of a site: its answers stay until they are taken back. */
    isQuestion: element(place).matches(".exercise"),
    /** Its part of the address. */
    write: () => writeState(said, defaults),
    /** The traits in its part of an address; for an invalid one null, or a text that says why. */
    read(text: string): Traits | string | null {
      const wanted = readState(text, said, defaults);
      return wanted && accept ? accept(wanted, model.get) : wanted;
    },
    show: () => render({ model, el: element(place), signal: new AbortController().signal }),
  };
}

/** Joins the widgets' states to the address, and answers to the tab too: a link to the page leaves its address behind. */
function addressOf(held: readonly Held[]) {
  const links = pageLinks(held.map(({ place }) => place));
  const brought = held.map(({ write }) => write());
  const written = ({ write }: Held, i: number) => (held.length > 1 && write() === brought[i] ? "" : write());
  const take = (wanted: readonly Traits[]): void => {
    for (const [i, traits] of wanted.entries()) for (const [name, value] of Object.entries(traits)) held[i]!.model.set(name, value);
  };
  const write = (texts: readonly string[]): void => {
    if (held.some(({ isQuestion }) => isQuestion)) keep(KEY, joinStates(texts.map((text, i) => (held[i]!.isQuestion ? text : ""))));
    const address = joinStates(texts);
    if (address === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", "#" + address);
    } catch {
      // Browsers limit the changes a minute; the next edit writes this one too.
    }
  };
  return {
    tell(): void {
      setText(note, "");
      write(held.map(written));
      links.follow(held.map((one) => one.write()));
    },
    /** The answers that this tab had before the page was opened again. */
    remember(): void {
      const texts = splitStates(kept(KEY), held.length) ?? [];
      const read = (text: string, i: number) => (held[i]!.isQuestion ? held[i]!.read(text) : null);
      take(texts.map(read).map((found) => (isTraits(found) ? found : {})));
    },
    /** Apply the whole address, or nothing of it. A site's widget that it omits returns to its first state; answers stay, and
     * are written to the address again. */
    follow(): void {
      const texts = splitStates(location.hash.slice(1), held.length);
      const meant = (text: string, i: number) => (text === "" && held.length > 1 && !held[i]!.isQuestion ? brought[i]! : text);
      const wanted = texts?.map(meant).map((text, i) => (text === "" ? {} : held[i]!.read(text))) ?? [null];
      const isKnown = wanted.every(isTraits);
      if (isKnown) take(wanted);
      if (isKnown && held.length > 1) write(held.map((one, i) => (one.isQuestion ? written(one, i) : texts![i]!)));
      const why = wanted.find((found) => typeof found === "string") ?? "";
      setText(note, isKnown ? "" : `${t("page.address")} ${why}`.trim());
      links.follow(held.map((one) => one.write()));
    },
  };
}

async function load(module: string): Promise<WidgetPage> {
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: shared } = (await import(address)) as { default: { initialize(): WidgetPage } };
  URL.revokeObjectURL(address);
  return shared.initialize();
}

async function show(): Promise<void> {
  openParts();
  // The text stays in the page, which may be saved again; of what is parsed from it, only the states are kept.
  const data = JSON.parse(element("data").textContent!) as Data;
  const modules = await Promise.all(data.modules.map(load));
  const held = await Promise.all(data.widgets.map((saved) => hold(saved, modules, () => address.tell())));
  const address = addressOf(held);
  Object.assign(window, { model: held[0]!.model }); // for the console: model.get("code")
  address.remember();
  address.follow();
  for (const one of held) await one.show();
  window.addEventListener("hashchange", address.follow);
}

show().catch((error: unknown) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
});
