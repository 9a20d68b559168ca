// Builds the front end into mixwidgets/static/: one readable ES module a widget, and one style sheet.
//   node build.mjs           writes the files
//   node build.mjs --check   writes nothing and fails unless the committed bytes are the same
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const LIMIT = 120_000; // bytes a bundle; each widget view loads one

const checking = process.argv.includes("--check");
const entries = {
  bit_editor: "widgets/bit_editor.ts",
  block_lab: "widgets/block_lab.ts",
  exercise: "widgets/exercise.ts",
  format_designer: "widgets/format_designer.ts",
  loss_scale_explorer: "widgets/loss_scale_explorer.ts",
  number_line: "widgets/number_line.ts",
  sweep_progress: "widgets/sweep_progress.ts",
  training_lab: "widgets/training_lab.ts",
  page: "host/page.ts",
  mixwidgets: "ui/mixwidgets.css",
};
const messages = JSON.parse(await readFile(`${here}messages/en.json`, "utf8"));

/** Build one entry with the messages that `keep` chooses by the part of the key before its dot. */
async function bundle([name, path], keep) {
  const kept = Object.fromEntries(Object.entries(messages).filter(([key]) => keep(key.split(".")[0])));
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: { [name]: path },
    outdir: "../mixwidgets/static",
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    write: false,
    alias: { "d3-color": "./ui/unused_d3.ts", "d3-format": "./ui/unused_d3.ts" },
    plugins: [{
      name: "messages",
      setup: ({ onLoad }) => onLoad({ filter: /en\.json$/ }, () => ({ contents: JSON.stringify(kept), loader: "json" })),
    }],
  });
  return outputFiles[0];
}

/** A bundle carries the messages that its code can name: those of whose keys it has the beginning. */
async function withItsMessages(entry) {
  const { text } = await bundle(entry, () => false);
  const named = new Set([...text.matchAll(/["'`](\w+)\./g)].map(([, first]) => first));
  return bundle(entry, (first) => named.has(first));
}

const outputFiles = await Promise.all(Object.entries(entries).map(withItsMessages));

let failed = false;
for (const file of outputFiles) {
  const name = basename(file.path);
  if (file.contents.byteLength > LIMIT) {
    console.error(`${name}: ${file.contents.byteLength} bytes, over the limit of ${LIMIT}`);
    failed = true;
  }
  if (checking) {
    const committed = await readFile(file.path).catch(() => Buffer.alloc(0));
    if (!committed.equals(file.contents)) {
      console.error(`${name}: not what its TypeScript builds; run 'make bundle' and commit the result`);
      failed = true;
    }
  } else {
    await writeFile(file.path, file.contents);
  }
  console.log(`${name}: ${file.contents.byteLength} bytes`);
}
process.exitCode = failed ? 1 : 0;
