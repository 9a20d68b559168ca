// What the page says of a rounding and of a format is what Python says, in every language (tests/vectors/make_sentences.py).

import { afterAll, describe, expect, test, vi } from "vitest";
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
afterAll(() => vi.doUnmock(CATALOGUE));
