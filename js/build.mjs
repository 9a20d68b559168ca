// Builds the front end into mixwidgets/static/: one readable ES module a widget, one style sheet, and zh.json, the
// Chinese of what the modules say. Each module holds its messages in one line, marked for mixwidgets/widgets/language.py.
//   node js/build.mjs           writes the files
//   node js/build.mjs --check   writes nothing and fails unless the committed bytes are the same
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const LIMIT = 120_000; // bytes a bundle; each widget view loads one

const checking = process.argv.includes("--check");
const entries = {
  bit_editor: "mixwidgets/widgets/bit_editor/page.ts",
  block_lab: "mixwidgets/widgets/block_lab/page.ts",
  exercise: "mixwidgets/widgets/exercise/page.ts",
  format_designer: "mixwidgets/widgets/format_designer/page.ts",
  loss_scale_explorer: "mixwidgets/widgets/loss_scale_explorer/page.ts",
  number_line: "mixwidgets/widgets/number_line/page.ts",
  sweep_progress: "mixwidgets/widgets/sweep_progress/page.ts",
  training_lab: "mixwidgets/widgets/training_lab/page.ts",
  page: "js/host/page.ts",
  mixwidgets: "js/ui/mixwidgets.css",
};
const [messages, chinese] = await Promise.all(["en", "zh"].map(async (lang) => JSON.parse(await readFile(`${root}js/messages/${lang}.json`, "utf8"))));
const MESSAGES = /^var en_default = \{.*\};$/gm; // as esbuild writes the one import of en.json

let failed = false;
function fail(words) {
  console.error(words);
  failed = true;
}

for (const key of Object.keys(messages)) if (!Object.hasOwn(chinese, key)) fail(`zh.json has no ${key}`);
const inChinese = (kept) => Object.fromEntries(Object.entries(kept).map(([key, english]) => [key, chinese[key] ?? english]));
const line = (kept) => `var en_default = /* messages */ ${JSON.stringify(kept)};`;

/** Build one entry with the messages that `keep` chooses by the part of the key before its dot. */
async function bundle([name, path], keep) {
  const kept = Object.fromEntries(Object.entries(messages).filter(([key]) => keep(key.split(".")[0])));
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: path },
    outdir: "mixwidgets/static",
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    write: false,
    alias: { "d3-color": "./js/ui/unused_d3.ts", "d3-format": "./js/ui/unused_d3.ts" },
    plugins: [{
      name: "messages",
      setup: ({ onLoad }) => onLoad({ filter: /en\.json$/ }, () => ({ contents: JSON.stringify(kept), loader: "json" })),
    }],
  });
  const [{ path: file, text }] = outputFiles;
  const places = text.match(MESSAGES) ?? [];
  if (places.length !== (file.endsWith(".js") ? 1 : 0)) fail(`${basename(file)}: ${places.length} places with messages`);
  const told = (some) => text.replace(MESSAGES, () => line(some));
  return { file, text: told(kept), kept, size: Math.max(...[kept, inChinese(kept)].map((some) => Buffer.byteLength(told(some)))) };
}

/** A bundle carries the messages that its code can name: those of whose keys it has the beginning. */
async function withItsMessages(entry) {
  const { text } = await bundle(entry, () => false);
  const named = new Set([...text.matchAll(/["'`](\w+)\./g)].map(([, first]) => first));
  return bundle(entry, (first) => named.has(first));
}

const bundles = await Promise.all(Object.entries(entries).map(withItsMessages));
const used = Object.assign({}, ...bundles.map(({ kept }) => kept));
const translations = { file: `${root}mixwidgets/static/zh.json`, text: `${JSON.stringify(inChinese(used), null, 1)}\n`, size: 0 };

for (const { file, text, size } of [...bundles, translations]) {
  const name = basename(file);
  if (size > LIMIT) fail(`${name}: ${size} bytes in its longer language, over the limit of ${LIMIT}`);
  if (checking) {
    const committed = await readFile(file, "utf8").catch(() => "");
    if (committed !== text) fail(`${name}: not what its TypeScript builds; run 'make bundle' and commit the result`);
  } else {
    await writeFile(file, text);
  }
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}
process.exitCode = failed ? 1 : 0;
