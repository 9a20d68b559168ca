// What the page says of a rounding and of a format is what Python says, in every language (tests/vectors/make_sentences.py).

import { describe, expect, test, vi } from "vitest";
import type { Overflow, Rounding } from "#core/formats/encode.ts";
import zh from "#mixwidgets/support/languages/zh/page.json";
import { committed } from "./vectors.ts";

interface Row {
  text: string;
  rounding: Rounding;
  overflow: Overflow;
  en: string;
  zh: string;
  readouts: [below: string, above: string, error: string];
}

const vectors = Object.entries(committed<Record<string, [sheet: Record<string, string>, ...rows: Row[]]>>("sentences.json"));
const CATALOGUE = "#mixwidgets/support/languages/en/page.json";

describe.each(["en", "zh"] as const)("in %s", async (lang) => {
  vi.resetModules();
  if (lang === "zh") vi.doMock(CATALOGUE, () => ({ default: zh }));
  const { encode, ROUNDINGS } = await import("#core/formats/encode.ts");
  const { toExact } = await import("#core/formats/parse.ts");
  const { pieces } = await import("#ui/messages.ts");
  const { readoutsOf } = await import("#mixwidgets/floats/widgets/bit_editor/tables.ts");
  const { figuresOf } = await import("#mixwidgets/floats/widgets/format_designer/sheet.ts");
  const { sentence } = await import("#mixwidgets/floats/widgets/bit_editor/words.ts");
  const { formatNamed } = await import("./format_named.ts");
  vi.doUnmock(CATALOGUE);

  test.each(vectors)("%s", (name, [, ...rows]) => {
    const fmt = formatNamed(name);
    const inPage = rows.filter(({ rounding }) => ROUNDINGS.includes(rounding)); // stochastic rounding is Python's alone
    for (const { text: input, rounding, overflow, readouts, ...words } of inPage) {
      const number = { fmt, code: encode(fmt, toExact(input), { rounding, overflow }), input, rounding, overflow };
      const { key, args } = sentence(number);
      const said = pieces(key, args).map(({ text }) => text).join("").replaceAll("\u00a0", " ");
      expect([input, rounding, overflow, said]).toEqual([input, rounding, overflow, words[lang]]);
      if (lang === "en") expect([said, ...readoutsOf(number).slice(-3).map(({ text }) => text)]).toEqual([said, ...readouts]);
    }
  });

  if (lang !== "en") return;
  test.each(vectors)("the sheet of %s", (name, [{ "designer.bias": _, ...sheet }]) => {
    expect(Object.fromEntries(figuresOf(formatNamed(name)))).toEqual(sheet); // the bias is a control there
  });
});
