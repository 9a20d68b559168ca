// Builds the front end into mixwidgets/static/: minified, a script for each widget that defines `page`, a module for the
// host of a saved page, style sheets, and the licences of what is bundled. A folder in a floor's widgets with a page.ts
// is a widget, a folder in mixwidgets/support/languages a language. A script holds neither messages nor style: Python declares
// them before it (mixwidgets/floats/widgets/bundles.py). modules.json says which groups of messages a script can name, and which
// style sheets it needs: the shared one, and those of the folders whose code is in it. Figures for slides and print are drawn here too,
// in each language.
//   node js/build.mjs           writes the files
//   node js/build.mjs --check   writes nothing and fails unless the committed bytes are the same
import fs from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { existsSync, globSync, readdirSync } = fs;
if (!globSync) {
  console.error(`js/build.mjs needs Node.js 22 or newer (for fs.globSync); this is Node.js ${process.versions.node}.`);
  process.exit(1);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const STATIC = "mixwidgets/static";
const LIMIT = 142_000; // bytes of a module with its messages and the style; a page loads one for a class of widgets. Two have an engine too: the playground and the training step.

const matching = (pattern) => globSync(pattern, { cwd: root }).sort();
const folderOf = (path) => basename(dirname(path));
const pages = Object.fromEntries(matching("mixwidgets/*/widgets/*/page.ts").map((path) => [folderOf(path), path]));
const SHARED = "shared";
const styles = {
  [SHARED]: "js/ui/theme.css",
  ...Object.fromEntries(matching("js/ui/*/style.css").map((path) => [`ui_${folderOf(path)}`, path])),
  ...Object.fromEntries(matching("mixwidgets/*/widgets/*/style.css").map((path) => [folderOf(path), path])),
};
const languages = Object.fromEntries(await Promise.all(matching("mixwidgets/support/languages/*/page.json").map(async (path) => [folderOf(path), JSON.parse(await readFile(root + path, "utf8"))])));
const groupOf = (key) => key.split(".")[0];
const groups = new Set(Object.keys(languages.en).map(groupOf));

const OPTIONS = { absWorkingDir: root, bundle: true, minify: true, charset: "utf8", write: false };
// The messages are a variable, which Python declares before the script.
const declaredMessages = {
  name: "messages",
  setup: ({ onLoad }) => onLoad({ filter: /languages.en.page\.json$/ }, () => ({ contents: "export default messages", loader: "js" })),
};

// d3-scale brings d3-interpolate, d3-format and d3-array, of which the pages need little. unused_d3.ts stands in for the first two.
// d3-array is a single file, from which esbuild drops what is not used, except for three calls whose results are module constants:
// it cannot know that they have no side effects. The annotation says so. Together this saves 23 kB of every bundle with a scale.
const UNUSED_D3 = "./js/ui/unused_d3.ts";
const D3_ARRAY = `${root}node_modules/d3-array/dist/d3-array.mjs`;
const pureD3Array = {
  name: "pure d3-array",
  setup: ({ onLoad }) => onLoad({ filter: /d3-array\.mjs$/ }, async () => ({
    contents: (await readFile(D3_ARRAY, "utf8")).replace(/= (?=(Blur2|shuffler)\()/g, "= /* @__PURE__ */ "),
  })),
};

const bundled = new Set(); // packages

async function moduleOf(path, form) {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: [path],
    ...form,
    target: "es2022",
    alias: { "d3-interpolate": UNUSED_D3, "d3-format": UNUSED_D3 },
    plugins: [declaredMessages, pureD3Array],
  });
  for (const input of Object.keys(metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
    if (name) bundled.add(name);
  }
  const folders = new Set(Object.keys(metafile.inputs).map(dirname));
  const needed = Object.keys(styles).filter((name) => name === SHARED || folders.has(dirname(styles[name])));
  return { code: outputFiles[0].text, styles: needed };
}

/** The name, version and licence of each bundled package; an error where a package has no text of its licence. */
async function notices() {
  const parts = [...bundled].sort().map(async (name) => {
    const folder = `${root}node_modules/${name}`;
    const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} is bundled, and has no file with its licence`);
    return `${name} ${version} (${license})\n\n${(await readFile(`${folder}/${file}`, "utf8")).trim()}\n`;
  });
  return `The widgets' pages contain code of these packages.\n\n${(await Promise.all(parts)).join("\n----\n\n")}`;
}

async function styleSheet(path) {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [path], target: "safari17.5" }); // adds -webkit-user-select
  return outputFiles[0].text;
}

/** The groups of messages that a module can name: it has the beginnings of their keys. */
function groupsIn(code) {
  const beginnings = [...code.matchAll(/["'`](\w+)\./g)].map(([, first]) => first);
  return [...new Set(beginnings)].filter((first) => groups.has(first)).sort();
}

const modules = await Promise.all([
  ...Object.entries(pages).map(async ([name, path]) => [name, await moduleOf(path, { format: "iife", globalName: "page" })]),
  moduleOf("js/host/page.ts", { format: "esm" }).then(({ code }) => ["host", { code, styles: [] }]), // the page has its own
  moduleOf("js/host/module.ts", { format: "iife", globalName: "host" }).then(({ code }) => ["module", { code, styles: [] }]),
]);
const needs = Object.fromEntries(modules.map(([name, { code, styles }]) => [name, { messages: groupsIn(code), styles }]));
const sheets = Object.fromEntries(await Promise.all(Object.entries(styles).map(async ([name, path]) => [name, await styleSheet(path)])));

/** Bytes of a module with its style and its messages, in the longest language. */
function sizeOf(name, code) {
  const groups = needs[name].messages;
  const declarations = Object.values(languages).map((messages) => Object.entries(messages).filter(([key]) => groups.includes(groupOf(key))));
  const lengths = declarations.map((entries) => Buffer.byteLength(JSON.stringify(Object.fromEntries(entries))));
  return Buffer.byteLength(code + needs[name].styles.map((style) => sheets[style]).join("")) + Math.max(...lengths);
}

const checking = process.argv.includes("--check");
let failed = false;
function fail(words) {
  console.error(words);
  failed = true;
}

const expected = new Set();
async function put(name, text, size = Buffer.byteLength(text)) {
  expected.add(name);
  console.log(`${name}: ${size} bytes`);
  if (size > LIMIT) fail(`${name}: ${size} bytes in its longest language, over the limit of ${LIMIT}`);
  await write(`${STATIC}/${name}`, text);
}

async function write(path, text) {
  if (!checking) await writeFile(root + path, text);
  else if (!existsSync(root + path) || (await readFile(root + path, "utf8")) !== text) fail(`${path}: not what its source builds; run 'make bundle' and commit the result`);
}

for (const [name, { code }] of modules) await put(`${name}.js`, code, sizeOf(name, code));
for (const [name, sheet] of Object.entries(sheets)) await put(`${name}.css`, sheet);
const lines = Object.entries(needs).map(([name, parts]) => `  ${JSON.stringify(name)}: ${JSON.stringify(parts)}`);
await put("modules.json", `{\n${lines.join(",\n")}\n}\n`);
const { code: drawing } = await moduleOf("mixwidgets/teaching/figures/all.ts", { format: "esm" });
for (const [language, messages] of Object.entries(languages)) {
  const source = Buffer.from(`const messages = ${JSON.stringify(messages)};\n${drawing}`).toString("base64");
  const { figures } = await import(`data:text/javascript;base64,${source}`);
  for (const [name, draw] of Object.entries(figures)) {
    await put(`${name}.${language}.svg`, draw());
    if (!name.includes("standing")) await write(`notebooks/${language === "en" ? "" : `${language}/`}${name}.svg`, draw()); // for the lessons
  }
}
await put("THIRD_PARTY_NOTICES.txt", await notices());
for (const name of readdirSync(root + STATIC)) if (!expected.has(name)) fail(`${name}: nothing builds this file; delete it`);
process.exitCode = failed ? 1 : 0;
