// FormatDesigner: set the widths, the bias and the special values, and see the format that they make.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { getFormat } from "#core/formats/catalogue.ts";
import { announcer } from "#ui/announcer.ts";
import { attempt } from "#ui/attempt.ts";
import { card } from "#ui/card.ts";
import { emphasised, h, setText } from "#ui/dom.ts";
import { listed, pieces, t } from "#ui/messages.ts";
import { onTraits } from "#ui/traits.ts";
import { controls } from "./controls.ts";
import { legend } from "./counts.ts";
import { designOf, formatOf, known, read, relatives, same, TRAITS, type Design } from "./design.ts";
import { codeMap } from "./map.ts";
import { specSheet } from "./sheet.ts";

const FIRST = "float8_e4m3"; // shown where the model holds no format

function render({ model, el }: RenderProps<Design>): () => void {
  const { root, head } = card(el, t("designer.title"));
  root.classList.add("mw-format-designer");
  const name = h("p", { class: "mw-num mw-design-name" });
  head.append(name);

  const callout = h("p", { class: "mw-callout" });
  const sheet = specSheet();
  const map = codeMap();
  const classes = legend();
  const spoken = announcer();
  let good = designFrom(model); // the last design that is a format
  let draft = good; // what the controls show

  const paint = () => {
    const fmt = formatOf(good);
    setText(name, (known(good)[0] ?? fmt).name);
    callout.replaceChildren(...emphasised(verdict(good)));
    sheet.show(fmt);
    map.show(fmt);
    classes.show(fmt);
  };
  const panel = controls({
    draft(changes, at) {
      draft = { ...draft, ...changes };
      const wrong = problem(draft);
      panel.show(draft, at, wrong);
      if (wrong || same(draft, good)) return;
      good = draft;
      for (const trait of TRAITS) model.set(trait, good[trait]);
      paint();
      spoken.say(callout.textContent);
    },
    commit() {
      model.save_changes();
    },
  });

  root.append(h("div", { class: "mw-design-top" }, panel.element, h("div", { class: "mw-stack-tight" }, callout, sheet.element)), classes.element, map.element, spoken.element);
  panel.show(draft);
  paint();

  const unsubscribe = onTraits(model, TRAITS, () => {
    const arrived = read((trait) => model.get(trait));
    if (!arrived || same(arrived.design, good)) return;
    good = arrived.design;
    draft = good;
    panel.show(draft);
    paint();
    spoken.say(callout.textContent);
  });
  const observer = new ResizeObserver(() => map.resize(root.clientWidth));
  observer.observe(root);
  return () => {
    unsubscribe();
    spoken.close();
    observer.disconnect();
    root.remove();
  };
}

function designFrom(model: AnyModel<Design>): Design {
  return read((trait) => model.get(trait))?.design ?? designOf(getFormat(FIRST)!);
}

/** What is wrong with a draft, in words; empty where it is a format. */
const problem = (draft: Design): string => attempt(() => void formatOf(draft));

/** Whether the design is a known format, and which others have its widths. */
function verdict(design: Design): ReturnType<typeof pieces> {
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

/** The traits of a state from the address; null where they make no format. */
function accept(wanted: Design): Design | null {
  return read((trait) => wanted[trait])?.design ?? null;
}

export default { render, accept };
