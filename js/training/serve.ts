// The engine as a process of Node, for Python's tests: each line of the standard input is a request in JSON, each line of the
// output its answer. Arrays of floats are sent as the hex of their bytes, so that nothing is lost.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { inflateSync } from "node:zlib";
import { customFormat, type CustomDefinition } from "#core/formats/float_format.ts";
import * as functions from "./functions.ts";
import { round, rounderOf, roundStochastically } from "./rounder.ts";
import { look, type Look, type Side } from "./look.ts";
import { allBits, bitsOf, changed, settingsOf, type Request } from "./request.ts";
import type { Settings } from "./settings.ts";
import { Trainer } from "./trainer.ts";

interface Train {
  readonly settings: Request & Pick<Settings, "task">;
  readonly steps: number;
  /** Changes of the settings, by the number of steps before them. */
  readonly changes?: Readonly<Record<string, Request>>;
}

export const digits = inflateSync(readFileSync(new URL("../../mixwidgets/runs/task/digit_rows.bin", import.meta.url)));

const hex = (values: ArrayBufferView) => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("hex");
const unhex = (text: string) => new Float64Array(Uint8Array.from(Buffer.from(text, "hex")).buffer);

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 8);

/** A hash of all bits of the weights that are kept and of the gradients. */
export const digest = (trainer: Trainer): string => hash(allBits(trainer));

/** The numbers of a look, with a hash of all bits in place of the arrays at each station. */
export function digests({ twin, nextScale, skipped, ...own }: Look) {
  const side = ({ lossScale, loss, foundInf, kept, read, pass, gradient, unscaled, before, after, update, next }: Side) => {
    const [first, last] = [before, after].map((states) => states.flatMap(({ first, second }) => [first, second]));
    const arrays = { kept, read, values: pass.values, sums: pass.sums, errors: pass.errors, gradient, unscaled, before: first!, after: last!, update, next };
    return { lossScale, loss, foundInf, ...Object.fromEntries(Object.entries(arrays).map(([name, list]) => [name, hash(bitsOf(list))])) };
  };
  return { ...side(own), skipped, nextScale, twin: side(twin) };
}

function train({ settings, steps, changes = {} }: Train) {
  const trainer = new Trainer(settingsOf(settings), digits);
  const reports = [];
  for (let step = 0; step < steps; step++) {
    const change = changes[step];
    if (change) trainer.change(changed(trainer.settings, change));
    reports.push({ ...trainer.step(), digest: digest(trainer) });
  }
  const test = trainer.evaluate(trainer.data.test);
  return { reports, test, weights: trainer.tensors.map(({ kept }) => hex(kept)) };
}

const answers = {
  train,
  /** A look at the step after so many. */
  look({ settings, steps, changes = {} }: Train) {
    const trainer = new Trainer(settingsOf(settings), digits);
    for (let step = 0; step < steps; step++) trainer.step();
    const change = changes[steps];
    return digests(look(trainer, change && changed(trainer.settings, change)));
  },
  /** Rounds each x: to nearest, or stochastically by the numbers in `uniform`, which are from 0 to below 1. */
  round: ({ format, x, uniform }: { format: CustomDefinition; x: string; uniform?: number[] }) => {
    const rounder = rounderOf(customFormat(format));
    return hex(unhex(x).map((value, i) => (uniform ? roundStochastically(rounder, value, uniform[i]!) : round(rounder, value))));
  },
  functions: ({ name, x }: { name: "exp" | "log" | "tanh"; x: string }) => hex(unhex(x).map((value) => functions[name](value))),
};

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [kind, request] = Object.entries(JSON.parse(line) as Record<string, never>)[0]!;
    const answer = answers[kind as keyof typeof answers](request);
    process.stdout.write(JSON.stringify(answer, (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value)) + "\n");
  }
}
