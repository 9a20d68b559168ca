// FormatDesigner: set the widths, the bias and the special values, and see the resulting format.

import type { RenderProps } from "@anywidget/types";
import { batch, computed, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { announcer } from "#ui/announcer.ts";
import { attempt } from "#ui/attempt.ts";
import { card } from "#ui/card.ts";
import { emphasised, h, setText } from "#ui/dom.ts";
import { listed, type Piece, pieces, t } from "#ui/messages.ts";
import { addQuestions, answeredByTraits } from "#ui/stage_sequence.ts";
import { kept, viewOf } from "#ui/view.ts";
import { controls, type Draft } from "./controls.ts";
import { legend } from "./counts.ts";
import { designOf, formatOf, known, read, relatives, same, type Design } from "./design.ts";
import { codeMap } from "./map.ts";
import { specSheet } from "./sheet.ts";
import { valueLine } from "./value_line.ts";
import steps from "./stage.json";

const FIRST = "float8_e4m3"; // shown until the model has a valid design

function render({ model, el }: RenderProps<Design>): () => void {
  const view = viewOf(model);
  const { root, head } = card(view, el, "mw-format-designer", t("designer.title"));
  const name = h("p", { class: "mw-num mw-design-name" });
  head.append(name);

  const callout = h("p", { class: "mw-callout" });
  const announce = announcer(view);
  const design = kept(designOf(getFormat(FIRST)!), (last) => {
    const found = read((name) => view.trait(name).value);
    return found && !same(found, last) ? found : last;
  }); // the last valid one
  const words = computed(() => verdict(design.value));
  const draft = signal<Draft>({ design: design.value }); // what the controls show
  view.onChange(design, (found) => (draft.value = { design: found }));
  const fmt = computed(() => formatOf(design.value));
  const title = computed(() => (known(design.value)[0] ?? fmt.value).name);

  const panel = controls(view, draft, {
    change(changes, at) {
      const next = { ...draft.value.design, ...changes };
      const wrong = attempt(() => void formatOf(next));
      batch(() => {
        if (!wrong) view.set(next);
        draft.value = { design: next, at, wrong };
      });
    },
    commit: () => model.save_changes(),
  });
  root.append(
    h("div", { class: "mw-design-top" }, panel, h("div", { class: "mw-stack-tight" }, callout, specSheet(view, fmt))),
    legend(view, fmt),
    h("div", { class: "mw-design-picture" }, valueLine(view, fmt, title), codeMap(view, fmt, view.width(root))),
    announce.element);

  view.effect(() => {
    setText(name, title.value);
    callout.replaceChildren(...emphasised(words.value));
  });
  view.onChange(words, () => announce.say(words.value.map(({ text }) => text).join("")));

  addQuestions(view, root, answeredByTraits(view, steps));
  return view.close;
}

/** Which known format the design is, if any, and which others have its widths. */
function verdict(design: Design): Piece[] {
  const [found, ...also] = known(design);
  const others = listed(relatives(design).filter((fmt) => fmt !== found).map((fmt) => fmt.name));
  const rest = [
    ...also.flatMap((fmt) => pieces("designer.also", { name: fmt.name })),
    ...(others ? pieces("designer.relatives", { names: others }) : []),
  ];
  if (!found) return [...pieces("designer.new"), ...rest];
  const key = found.experimental ? "designer.is_experimental" : "designer.is_known";
  return [...pieces(key, { name: found.name, citation: found.citation }), ...rest];
}

/** The state from an address; null if it is invalid. */
function accept(wanted: Design): Design | null {
  return read((trait) => wanted[trait]);
}

export default { render, accept };
