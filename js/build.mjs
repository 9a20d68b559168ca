// Builds the front end into mixwidgets/static/: minified, a script for each widget that defines `page`, a module for the
// host of a saved page, one style sheet, and the licences of what is bundled. A folder in mixwidgets/widgets with a page.ts is a widget, a
// folder in mixwidgets/languages a language. A script holds neither messages nor style: Python declares them before it, and makes a module of them
// (mixwidgets/widgets/bundles.py), and messages.json says which groups of messages its code can name.
//   node js/build.mjs           writes the files
//   node js/build.mjs --check   writes nothing and fails unless the committed bytes are the same
import { existsSync, globSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = `${root}mixwidgets/static`;
const LIMIT = 120_000; // bytes of a module with its messages and the style; each view of a widget loads one
const MORE = { "playground.js": 30_000 }; // it brings a training engine

const found = (pattern) => globSync(pattern, { cwd: root }).sort();
const folderOf = (path) => basename(dirname(path));
const pages = Object.fromEntries(found("mixwidgets/widgets/*/page.ts").map((path) => [folderOf(path), path]));
const styles = ["js/ui/theme.css", ...found("js/ui/*/style.css"), ...found("mixwidgets/widgets/*/style.css")];
const languages = await Promise.all(found("mixwidgets/languages/*/page.json").map(async (path) => JSON.parse(await readFile(root + path, "utf8"))));
const groupOf = (key) => key.split(".")[0];
const groups = new Set(Object.keys(languages[0]).map(groupOf));

const OPTIONS = { absWorkingDir: root, bundle: true, minify: true, charset: "utf8", write: false };
const declared = {
  name: "messages",
  setup: ({ onLoad }) => onLoad({ filter: /languages.en.page\.json$/ }, () => ({ contents: "export default messages", loader: "js" })),
};

const bundled = new Set(); // packages

async function moduleOf(path, form) {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: [path],
    ...form,
    target: "es2022",
    alias: { "d3-color": "./js/ui/unused_d3.ts", "d3-format": "./js/ui/unused_d3.ts" },
    plugins: [declared],
  });
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
    if (found) bundled.add(found[1]);
  }
  return outputFiles[0].text;
}

/** The name, version and licence of each bundled package; an error where a package has no text of its licence. */
async function notices() {
  const parts = [...bundled].sort().map(async (name) => {
    const folder = `${root}node_modules/${name}`;
    const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (!file) throw new Error(`${name} is bundled, and has no file with its licence`);
    return `${name} ${version} (${license})\n\n${(await readFile(`${folder}/${file}`, "utf8")).trim()}\n`;
  });
  return `The widgets' pages contain code of these packages.\n\n${(await Promise.all(parts)).join("\n----\n\n")}`;
}

async function styleSheet() {
  const contents = styles.map((path) => `@import "./${path}";`).join("\n");
  const { outputFiles } = await build({ ...OPTIONS, stdin: { contents, loader: "css", resolveDir: root } });
  return outputFiles[0].text;
}

/** The groups of messages that a module can name: it has the beginnings of their keys. */
function groupsIn(code) {
  const beginnings = [...code.matchAll(/["'`](\w+)\./g)].map(([, first]) => first);
  return [...new Set(beginnings)].filter((first) => groups.has(first)).sort();
}

const modules = await Promise.all([
  ...Object.entries(pages).map(async ([name, path]) => [name, await moduleOf(path, { format: "iife", globalName: "page" })]),
  moduleOf("js/host/page.ts", { format: "esm" }).then((code) => ["host", code]),
]);
const groupsOf = Object.fromEntries(modules.map(([name, code]) => [name, groupsIn(code)]));

const style = await styleSheet();

/** Bytes of a module with the style and its messages, in the longest language. */
function sizeOf(name, code) {
  const declarations = languages.map((messages) => Object.entries(messages).filter(([key]) => groupsOf[name].includes(groupOf(key))));
  const lengths = declarations.map((entries) => Buffer.byteLength(JSON.stringify(Object.fromEntries(entries))));
  return Buffer.byteLength(code) + Math.max(...lengths) + Buffer.byteLength(style);
}

const checking = process.argv.includes("--check");
let failed = false;
function fail(words) {
  console.error(words);
  failed = true;
}

const expected = new Set();
async function put(name, text, size = Buffer.byteLength(text)) {
  const file = `${output}/${name}`;
  expected.add(name);
  console.log(`${name}: ${size} bytes`);
  const limit = LIMIT + (MORE[name] ?? 0);
  if (size > limit) fail(`${name}: ${size} bytes in its longest language, over the limit of ${limit}`);
  if (!checking) await writeFile(file, text);
  else if (!existsSync(file) || (await readFile(file, "utf8")) !== text) fail(`${name}: not what its source builds; run 'make bundle' and commit the result`);
}

for (const [name, code] of modules) await put(`${name}.js`, code, sizeOf(name, code));
await put("mixwidgets.css", style);
const lines = Object.entries(groupsOf).map(([name, some]) => `  ${JSON.stringify(name)}: ${JSON.stringify(some)}`);
await put("messages.json", `{\n${lines.join(",\n")}\n}\n`);
await put("THIRD_PARTY_NOTICES.txt", await notices());
for (const name of readdirSync(output)) if (!expected.has(name)) fail(`${name}: nothing builds this file; delete it`);
process.exitCode = failed ? 1 : 0;
