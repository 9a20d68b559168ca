// What a lab says of its runs, and of how they compare. No DOM.

import { clamp } from "#core/range.ts";
import { integer, twoTo } from "#ui/digits.ts";
import { fill, listed, type MessageKey, t, tOr } from "#ui/messages.ts";
import { axisNumber, decimal, percent, statusWord, type WireNumber } from "#ui/run_words.ts";
import { isAlive, isWaiting, type NewestFigure, type RecipeField, type Row, type TaskChoice } from "./state.ts";

/** A name of the catalogues as words: "fp16_dynamic" → "fp16 dynamic". */
export const spaced = (name: string): string => name.replaceAll("_", " ");

/** A loss scale: as a power of two where it is one. */
export function scale(value: WireNumber): string {
  const exponent = typeof value === "number" ? Math.log2(value) : NaN;
  return Number.isInteger(exponent) ? twoTo(exponent) : decimal(value);
}

/** When a run was launched, in local time, by its id, which begins with the UTC time: "2026-11-28 21:32"; "" for another folder's name. */
export function dateOf(id: string): string {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)\d{5}-/.exec(id) ?? [];
  if (!minute) return "";
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)));
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Bytes as "1.2 MB". */
export const bytes = (size: number): string => withPrefix(size, "B");

/** A quantity of a unit with its prefix, in powers of 1000. */
export function withPrefix(quantity: number, unit: string): string {
  const step = clamp(Math.floor(Math.log10(quantity) / 3), 0, PREFIXES.length - 1);
  const value = quantity / 1000 ** step;
  return `${step > 0 && value < 99.95 ? value.toFixed(1) : integer(value)} ${PREFIXES[step]}${unit}`;
}
const PREFIXES = ["", "k", "M", "G", "T", "P"];

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

/** A place in line: "1st". */
export const ordinal = (n: number): string => t(`lab.ordinal_${ordinals.select(n) as "one" | "two" | "few" | "other"}`, { n });

/** What the task itself calls a good result: the name of its metric beside "loss", if it has one. */
export const metricOf = (row: Row): string | undefined => Object.keys(row.metrics).find((name) => !["loss", "loss_bf16"].includes(name));

/** "0.6 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  return minutes < 60 ? `${minutes} min ${s % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Where the run is: "step 213 of 300 · 141 steps/s · 4,512 examples/s · 0.6 s left". */
export function progress(row: Row): string {
  const at = { step: integer(row.step), steps: row.steps === null ? "" : integer(row.steps), status: status(row) };
  if (!isAlive(row)) return t(row.steps === null ? "lab.progress_watched_over" : "lab.progress_over", at);
  if (isWaiting(row)) return status(row);
  if (row.step === 0) return t("lab.progress_starting");
  const steps = t(row.steps === null ? "lab.progress_watched" : "lab.progress_steps", at);
  if (row.rate === null) return steps;
  const rate = t("lab.progress_rate", { rate: row.rate >= 10 ? integer(row.rate) : row.rate.toFixed(1) });
  if (row.steps === null) return `${steps} · ${rate}`;
  const examples = row.batch_size ? t("lab.progress_examples", { rate: integer(row.rate * row.batch_size) }) : "";
  const left = t("lab.progress_left", { time: duration((row.steps - row.step) / row.rate) });
  return [steps, rate, examples, left].filter(Boolean).join(" · ");
}

/** The same for a live region, which is heard, not read. */
export function spoken(row: Row, name: string): string {
  if (row.status !== "running" || row.rate === null || row.steps === null) return t("common.named", { name, what: status(row) });
  const time = duration((row.steps - row.step) / row.rate);
  return t("lab.spoken_progress", { name, percent: percent(row.step / row.steps), time });
}

/** What the newest step says: loss, loss scale, skipped steps. */
export function newest(row: Row, figures: readonly NewestFigure[]): string {
  if (row.step === 0) return "";
  const own = figures.filter(({ name, scaled }) => (row.scaled || !scaled) && (row[name] ?? null) !== null);
  return own.map(({ name, unit }) => newestFigure(name, row[name] as WireNumber, unit)).join(" · ");
}

/** "loss 0.25"; a figure without words of its own has its name. */
export function newestFigure(name: string, value: WireNumber, unit: string): string {
  const words = tOr(`lab.newest_${name}`, `${spaced(name)} {value}`);
  return fill(value === 1 ? tOr(`lab.newest_${name}_one`, words) : words, { value: inUnit(value, unit) });
}

/** A number in its unit (`Unit` of Python's figures). */
export function inUnit(value: WireNumber, unit: string): string {
  if (typeof value !== "number") return decimal(value);
  switch (unit) {
    case "": return Number.isInteger(value) && Math.abs(value) < 1e15 ? integer(value) : axisNumber(Number(value.toPrecision(4)));
    case "loss": return decimal(value);
    case "loss scale": return scale(value);
    case "count": case "1/s": return integer(value);
    case "share": return percent(value);
    default: return withPrefix(value, unit);
  }
}

export function status(row: Row): string {
  return isWaiting(row) ? t("lab.status_queued_at", { place: ordinal(row.position!) }) : statusWord(row.status);
}

/** Where the current run computes, and how. */
export const place = (row: Row): string => [computer(row), arithmetic(row.backend)].filter(Boolean).join(" · ");

/** Where it computes: "CPU, one thread". */
export function computer(row: Row): string {
  const device = row.device === "cpu" ? t("lab.device_cpu") : row.device.replace(/^cuda/, t("lab.device_cuda"));
  return [device, row.device_name].filter(Boolean).join(" · ");
}

/** What a step computes, how fast, and what slows it: "work of a step 0.4 GFLOP, 51 GFLOP/s, …". */
export function work({ work: step, rate }: Row): string {
  if (!step?.flops) return ""; // torch counts no operations inside nn.LSTM
  const { flops, peak, unaligned, largest_unaligned: sizes } = step;
  const speed = rate === null ? 0 : flops * rate;
  return listed([
    t("lab.work", { flops: withPrefix(flops, "FLOP") }),
    speed > 0 ? withPrefix(speed, "FLOP/s") : "",
    speed > 0 && peak > 0 ? t("lab.work_share", { share: percent(speed / peak), peak: withPrefix(peak, "FLOP/s") }) : "",
    peak > 0 && unaligned > 0 ? t("lab.work_unaligned", { share: percent(unaligned / flops), sizes }) : "",
  ]);
}

/** What a step takes in memory, by kind: "memory 3.1 MB: weights 0.4 MB, …". */
export function memory(row: Row): string {
  const kinds = Object.entries(row.memory ?? {}).filter(([, size]) => size > 0);
  if (kinds.length === 0) return "";
  const named = kinds.map(([kind, size]) => `${tOr(`lab.memory_${kind}`, kind)} ${bytes(size)}`);
  return t("lab.memory", { total: bytes(kinds.reduce((sum, [, size]) => sum + size, 0)), kinds: listed(named) });
}

// What mixwidgets.training writes: Precision.name, AmpTrainer.arithmetic, and a watcher's word.
const PRODUCTS: [RegExp, MessageKey][] = [
  [/^(\w+) storage, float32 products$/, "lab.products_widened"],
  [/^native (\w+) products$/, "lab.products_native"],
  [/^torch\.autocast to (\w+)$/, "lab.products_autocast"],
  [/^torch\.autocast to (\w+), whose products this CPU emulates, slowly$/, "lab.products_emulated"],
  [/^the watched loop's own()$/, "lab.products_watched"],
];
const OPERANDS = /, (?:operands of linear layers rounded to|(native) products of linear layers in) (\w+)$/;
const CPU = / \((no )?(\w+(?:(?:, | or )\w+)*)\)/; // the features of the CPU that decided, which older records lack

/** A record's `backend` in words; an unknown one unchanged. */
export function arithmetic(backend: string): string {
  const [, isNative, operands] = OPERANDS.exec(backend) ?? [];
  const [, lacking, features] = CPU.exec(backend) ?? [];
  const products = backend.replace(OPERANDS, "").replace(CPU, "");
  for (const [pattern, key] of PRODUCTS) {
    const format = pattern.exec(products)?.[1];
    if (format === undefined) continue;
    const cpu = features === undefined ? "" : lacking ? t("lab.products_lacking", { features: features.replaceAll(" or ", ", ") }) : features;
    return listed([t(key, { format }), cpu, operands === undefined ? "" : t(isNative ? "lab.products_operands_native" : "lab.products_operands", { format: operands })]);
  }
  return backend;
}

/** What the page's forms call the settings, by field, and their choices, by "field=choice". */
export function titlesOf(recipe: readonly RecipeField[], tasks: readonly TaskChoice[]): ReadonlyMap<string, string> {
  return new Map([
    ["task", t("lab.task")], ["recipe", t("lab.recipe")], ["steps", t("lab.steps")], ["device", t("lab.device")],
    ...tasks.flatMap(({ settings }) => settings).flatMap(({ name, title }) => [[name, title], [`task_options.${name}`, title]] as const),
    ...tasks.flatMap(({ settings }) => settings).flatMap(({ name, choices = {} }) => Object.entries(choices).map(([choice, word]) => [`${name}=${choice}`, word] as const)),
    ...recipe.map(({ name, group, title }) => [`recipe.${name}`, name.includes(".") ? t("lab.field_of", { group, title }) : title] as const),
    ...recipe.flatMap(({ name, choices = {} }) => Object.entries(choices).map(([choice, word]) => [`recipe.${name}=${choice}`, word] as const)),
  ]);
}

/** A field's name for the eye, that of `titles` if there is one: "recipe.loss_scale.init_scale" → "loss scale: init scale". */
export const fieldName = (field: string, titles: ReadonlyMap<string, string>): string =>
  titles.get(field) ?? tOr(`lab.field_${field.replaceAll(".", "_")}`, spaced(field.replace(/^(recipe|task_options)\./, "")).replaceAll(".", ": "));

const METRIC_SHARE = /^metrics\.(accuracy|iou)$/;
const NOT_FINITE = /^(nan|-?inf)$/;

/** A field's value for the eye: in the words of `titles` if it is a choice of theirs, a result in its unit. */
export function fieldValue(field: string, value: string | number | boolean | null, titles: ReadonlyMap<string, string>, unit = ""): string {
  if (typeof value === "boolean") return t(value ? "lab.yes" : "lab.no");
  if (typeof value === "string") {
    if (field === "status") return statusWord(value);
    if (field === "backend") return arithmetic(value);
    return NOT_FINITE.test(value) ? decimal(value as "nan") : (titles.get(`${field}=${value}`) ?? value);
  }
  if (value === null) return decimal(null);
  if (METRIC_SHARE.test(field)) return percent(value);
  if (/^metrics\.loss(_bf16)?$/.test(field)) return decimal(value);
  return inUnit(value, field.endsWith(".init_scale") ? "loss scale" : unit);
}
