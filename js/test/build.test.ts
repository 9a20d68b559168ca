// js/build.mjs where it cannot run.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const WITHOUT_GLOB = 'data:text/javascript,import fs from "node:fs"; delete fs.globSync;';

test("an old Node.js is told which version is needed, in one line", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", WITHOUT_GLOB, "js/build.mjs", "--check"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^js\/build\.mjs needs Node\.js 22 or newer \(for fs\.globSync\); this is Node\.js [\d.]+\.\n$/);
});
