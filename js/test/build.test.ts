// js/build.mjs: where it cannot run, and what it finds.

import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { sources } from "./sources.ts";

const WITHOUT_GLOB = 'data:text/javascript,import fs from "node:fs"; delete fs.globSync;';

test("an old Node.js is told which version is needed, in one line", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", WITHOUT_GLOB, "js/build.mjs", "--check"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^js\/build\.mjs needs Node\.js 22 or newer \(for fs\.globSync\); this is Node\.js [\d.]+\.\n$/);
});

const NOTICES = "mixwidgets/static/THIRD_PARTY_NOTICES.txt";
const named = (text: string) => [...text.matchAll(/^(\S+) \d[\d.]* \(\S+\)$/gm)].map(([, name]) => name!).sort();

test("the notices name every package that the sources import, and those that these import", () => {
  const texts = sources(".ts").map((path) => readFileSync(path, "utf8"));
  const left = texts.flatMap((text) => [...text.matchAll(/from "((?:@[\w-]+\/)?[a-z][\w-]*)"/g)].map(([, name]) => name!));
  const replaced = ["d3-interpolate", "d3-format"]; // by js/ui/unused_d3.ts
  const inOne = ["internmap"]; // of which d3-array's single file has the code, and the bundles have none
  const needed = new Set<string>();
  for (let name = left.pop(); name; name = left.pop()) {
    if (needed.has(name) || replaced.includes(name) || inOne.includes(name) || name.startsWith("@anywidget/")) continue;
    needed.add(name);
    left.push(...Object.keys(JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).dependencies ?? {}));
  }
  expect(named(readFileSync(NOTICES, "utf8"))).toEqual([...needed].sort());
  for (const path of globSync("mixwidgets/static/*.js")) expect(readFileSync(path, "utf8")).not.toContain("_intern");
});

// As if the committed file had no notice of d3-path.
const WITHOUT_A_NOTICE = `
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const read = fs.readFile;
fs.readFile = async (path, ...rest) => {
  const found = await read(path, ...rest);
  return String(path).endsWith("NOTICES.txt") ? String(found).replace(/d3-path[^]*?----/, "") : found;
};
syncBuiltinESMExports();`;

test("a missing notice is found", () => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(WITHOUT_A_NOTICE)}`, "js/build.mjs", "--check"], { encoding: "utf8" });
  expect(stderr).toContain("THIRD_PARTY_NOTICES.txt");
  expect(status).toBe(1);
});
