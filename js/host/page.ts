// The host of a saved page: it gives each widget's module a model and an element to render into, and keeps the states of all
// widgets in the page's address. `save` writes a page of one widget; a site's pages have several, and links to presets.

import { set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { isStageKey } from "#ui/stage.ts";
import { answersTo, keepAnswers, showAnswers } from "./answers.ts";
import { joinStates, readState, splitStates, type Traits, writeState } from "./address.ts";
import { openParts } from "./lesson.ts";
import { type PageModel, pageModel, type Saved, stateOf } from "./model.ts";

interface SavedWidget extends Saved {
  /** The id of its element. */
  readonly place: string;
  /** The index of its module among the page's. */
  readonly module: number;
  /** The traits of the state, with the value of each that the address omits. */
  readonly defaults: Traits;
}

interface Data {
  readonly modules: readonly string[];
  /** Where the modules are instead, on a site that is served: the addresses of files, from the page. */
  readonly files?: readonly string[];
  readonly widgets: readonly SavedWidget[];
}

/** What a widget's module exports. */
interface WidgetPage {
  render(props: { model: PageModel; el: HTMLElement; signal: AbortSignal }): unknown;
  /** A state from the address, checked and converted to the types of the traits; null, or the reason, for an invalid one. */
  accept?(wanted: Traits, get: PageModel["get"]): Traits | string | null;
  /** A trait's value as the address writes it; the twin of Python's `_state_value`. */
  stateValue?(name: string, value: unknown): unknown;
}

const isTraits = (state: Traits | string | null): state is Traits => typeof state === "object" && state !== null;
const element = (id: string) => document.getElementById(id)!;
const note = element("note");

type Widget = Awaited<ReturnType<typeof widgetOf>>;

/** `changed` is called where a notebook would tell the kernel. */
async function widgetOf({ place, module, defaults, ...saved }: SavedWidget, modules: readonly WidgetPage[], changed: () => void) {
  const { accept, stateValue, render } = modules[module]!;
  const model = pageModel(await stateOf(saved), changed);
  const valueOf = (name: string) => (stateValue ? stateValue(name, model.get(name)) : model.get(name));
  return {
    place,
    model,
    valueOf,
    /** The id of its question, whose answers stay until the reader starts again; "" if it is none. */
    question: "_record" in defaults ? String(model.get("exercise")) : "",
    /** Its part of the address, and of a question what is kept. */
    write: () => writeState(valueOf, defaults),
    /** The traits in its part of an address; null, or the reason, for an invalid one. */
    read(text: string): Traits | string | null {
      const wanted = readState(text, valueOf, defaults);
      return wanted && accept ? accept(wanted, model.get) : wanted;
    },
    /** In the place of what stands there without scripts. */
    show: () => (element(place).replaceChildren(), render({ model, el: element(place), signal: new AbortController().signal })),
  };
}

/** The page's address, which has the states of all widgets but the answers to questions. */
function addressOf(widgets: readonly Widget[]) {
  const links = pageLinks(widgets.map(({ place }) => place));
  const states = () => widgets.map(({ write }) => write());
  const initial = states();
  let shown = initial;
  /** A widget's part of the address: none of a question, and on a page of several none of one that is in its first state. */
  const written = ({ write, question }: Widget, i: number) => (question || (widgets.length > 1 && write() === initial[i]) ? "" : write());
  const apply = (states: readonly Traits[]): void => {
    states.forEach((traits, i) => widgets[i]!.model.assign(traits));
  };
  const write = (texts: readonly string[]): void => {
    const address = joinStates(texts);
    if (address === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", "#" + address);
    } catch {
      // Browsers limit how often a page may do this; the next change writes this one too.
    }
  };
  return {
    /** Write the widgets' states to the address, if they have changed: a widget also saves what is no state. */
    update(): void {
      if (states().every((text, i) => text === shown[i])) return;
      const before = shown;
      shown = states();
      for (const [i, { question }] of widgets.entries()) {
        if (question && shown[i] !== before[i]) keepAnswers(question, shown[i] === initial[i] ? "" : shown[i]!);
      }
      setText(note, "");
      write(widgets.map(written));
      links.follow(shown);
    },
    /** Apply the answers that were kept at an earlier visit. */
    restore(): void {
      const read = ({ question, read }: Widget) => (question ? read(answersTo(question)) : null);
      apply(widgets.map(read).map((state) => (isTraits(state) ? state : {})));
    },
    /** Apply the whole address, or nothing if a part is invalid. On a page of several widgets, one that the address omits returns
     * to its first state, except that a question keeps its answers. */
    follow(): void {
      const texts = splitStates(location.hash.slice(1), widgets.length);
      const meant = (text: string, i: number) => (text === "" && widgets.length > 1 && !widgets[i]!.question ? initial[i]! : text);
      const read = (text: string, i: number) => widgets[i]!.read(text);
      // Answers in an address are somebody else's: they must be answers, but one's own stay.
      const taken = (state: ReturnType<typeof read>, i: number) => (widgets[i]!.question && isTraits(state) ? {} : state);
      const wanted = texts?.map(meant).map((text, i) => (text === "" ? {} : taken(read(text, i), i))) ?? [null];
      const areValid = wanted.every(isTraits);
      if (areValid) apply(wanted);
      if (areValid && widgets.length > 1) write(texts!.map((text, i) => (widgets[i]!.question ? "" : text)));
      const why = wanted.find((state) => typeof state === "string") ?? "";
      setText(note, areValid ? "" : `${t("page.address")} ${why}`.trim());
      shown = states();
      links.follow(shown);
    },
  };
}

/** The links that depend on the address: to the same page in another language, and to presets of its widgets. */
function pageLinks(places: readonly string[]): { follow(shown: readonly string[]): void } {
  const linksTo = (selector: string) => [...document.querySelectorAll<HTMLAnchorElement>(selector)];
  const languages = linksTo("a[rel=alternate]");
  const presets = linksTo("a[href^='#']").map((link) => {
    const states = splitStates(link.hash.slice(1), places.length) ?? [];
    const at = states.findIndex((state) => state !== "");
    link.addEventListener("click", () => {
      const place = element(places[at]!);
      const { top } = place.getBoundingClientRect();
      if (top < 0 || top > 0.75 * innerHeight) place.scrollIntoView(); // on a narrow page the widget is not beside the link
    });
    return { link, at, state: states[at] };
  });
  return {
    /** A preset changes one widget and keeps the address of the others. It is marked while `shown`, the widgets' states, has its
     * state. */
    follow(shown) {
      const states = splitStates(location.hash.slice(1), places.length) ?? splitStates("", places.length)!;
      for (const link of languages) link.hash = location.hash;
      for (const { link, at, state } of presets) {
        link.hash = joinStates(states.with(at, state!));
        set(link, { "aria-current": state === shown[at] && "true" });
      }
    },
  };
}

/** The link of a playground's page to its next step: it opens the training step in the state that the playground is in. */
function lookAtStep({ place, valueOf }: Widget): void {
  const link = document.querySelector<HTMLAnchorElement>("a[data-traits]");
  const follow = (): void => {
    const step = element(place).querySelector<HTMLElement>("[data-step]")?.dataset["step"];
    const traits = link!.dataset["traits"]!.split(" ");
    link!.hash = [...traits.map((name) => `${name}=${encodeURIComponent(String(valueOf(name)))}`), "float32_steps=0", `steps=${step}`].join("&");
  };
  for (const event of ["pointerdown", "click"]) link?.addEventListener(event, follow);
}

async function load(module: string): Promise<WidgetPage> {
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const page = await loadFrom(address);
  URL.revokeObjectURL(address);
  return page;
}

async function loadFrom(address: string): Promise<WidgetPage> {
  const { default: shared } = (await import(address)) as { default: { initialize(): WidgetPage } };
  return shared.initialize();
}

async function show(): Promise<void> {
  openParts();
  showAnswers();
  // The text stays in the page, because the browser may save the page again.
  const data = JSON.parse(element("data").textContent!) as Data;
  const modules = await Promise.all(data.files?.map((file) => loadFrom(new URL(file, document.baseURI).href)) ?? data.modules.map(load));
  const widgets = await Promise.all(data.widgets.map((saved) => widgetOf(saved, modules, () => address.update())));
  const address = addressOf(widgets);
  Object.assign(window, { model: widgets[0]!.model }); // for the console: model.get("code")
  lookAtStep(widgets[0]!);
  address.restore();
  address.follow();
  for (const widget of widgets) await widget.show();
  window.addEventListener("hashchange", address.follow);
  document.addEventListener("keydown", (event) => { // outside a card, which keeps its keys
    const inView = (button: Element) => button.checkVisibility() && button.getBoundingClientRect().bottom > 0;
    if (isStageKey(event)) [...document.querySelectorAll<HTMLElement>(".mw-stage-button")].find(inView)?.click();
  });
}

show().catch((error: unknown) => {
  setText(note, t("page.failed", { reason: String(error) }));
  throw error;
}).finally(() => {
  // A site hides till then what the cards would move. They have measured themselves one frame after they are drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => document.body.toggleAttribute("data-shown", true)));
});
