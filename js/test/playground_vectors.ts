// The settings of tests/vectors/playground.json, trained: by vitest in Node, by tests/browser/test_playground_page.py in Chromium.

import type { DigitRows } from "#training/data.ts";
import { settingsOf, type Request } from "#training/request.ts";
import { Trainer } from "#training/trainer.ts";
import type { Settings } from "#training/settings.ts";

export { allBits } from "#training/request.ts";

export interface Row {
  readonly settings: Request & Pick<Settings, "task">;
  readonly skipped: number;
  readonly reports: Readonly<Record<string, readonly unknown[]>>;
}

/** What the file says of settings: each 20th report of 200 steps, by name, with a digest of all weights and gradients. */
export function trained(settings: Row["settings"], digits: DigitRows, digest: (trainer: Trainer) => string): Pick<Row, "skipped" | "reports"> {
  const trainer = new Trainer(settingsOf(settings), digits);
  const reports: Record<string, unknown[]> = {};
  for (let i = 1; i <= 200; i++) {
    const { step: _step, loss, ...report } = trainer.step();
    if (i % 20 > 0) continue;
    const seen = { ...report, loss: Number.isFinite(loss) ? loss : null, digest: digest(trainer) };
    for (const [name, value] of Object.entries(seen)) (reports[name] ??= []).push(value);
  }
  return { skipped: trainer.skippedSteps, reports };
}
