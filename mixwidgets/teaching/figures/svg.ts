// A figure as the text of an SVG file, for a page without scripts, a slide and print. Colours are attributes, which every program
// knows; a style sheet replaces them where the reader's system is dark. No DOM.

/** Light and dark, as js/ui/theme.css has them. */
const COLOURS = {
  surface: ["#ffffff", "#1b1f26"], raised: ["#f4f5f9", "#262b34"], ink: ["#16181d", "#e9ecf1"], muted: ["#5a6270", "#a3acb9"],
  line: ["#d6dae1", "#3a424e"], control: ["#80899a", "#727e90"], accent: ["#0a5fa8", "#82bfff"], soft: ["#e3eefa", "#1c3450"],
  error: ["#a8200d", "#ff9c8a"], sign: ["#a63c06", "#ff9d76"], exponent: ["#0a5fa8", "#82bfff"], fraction: ["#0b6b4b", "#6fe0b4"],
  flushed: ["#8f2d04", "#ee7a50"], subnormal: ["#c98500", "#f2c04e"], normal: ["#2b7bb9", "#5aaade"], overflow: ["#6d2e8c", "#bd86d8"],
} as const;
export type Colour = keyof typeof COLOURS;

const SANS = "system-ui, 'DejaVu Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";
const MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

interface Paint {
  readonly fill?: Colour;
  readonly stroke?: Colour;
  /** A class of the style sheet. */
  readonly kind?: string | undefined;
}
type Attributes = Readonly<Record<string, string | number | undefined>>;

const escaped = (text: string): string => text.replace(/[\u2066-\u2069]/g, "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Enough digits for a figure. */
export const rounded = (value: number): number => Math.round(10 * value) / 10;

/** An element; its children are elements. */
export function el(tag: string, attributes: Attributes & Paint, ...children: readonly string[]): string {
  const { fill, stroke, kind, ...others } = attributes;
  const kinds = [kind, fill && `fig-fill-${fill}`, stroke && `fig-stroke-${stroke}`].filter(Boolean).join(" ");
  const all = { class: kinds || undefined, fill: fill ? COLOURS[fill][0] : stroke && "none", stroke: stroke && COLOURS[stroke][0], ...others };
  const written = Object.entries(all).filter(([, value]) => value !== undefined).map(([name, value]) => ` ${name}="${escaped(String(typeof value === "number" ? rounded(value) : value))}"`).join("");
  return children.length ? `<${tag}${written}>${children.join("")}</${tag}>` : `<${tag}${written}/>`;
}

export interface Type {
  readonly size?: number;
  readonly bold?: boolean;
  readonly mono?: boolean;
  readonly fill?: Colour;
  readonly anchor?: "start" | "middle" | "end";
}

/** A text whose baseline begins, has its middle, or ends at a point. */
export function text(x: number, y: number, words: string, { size = 12.5, bold = false, mono = false, fill = "ink", anchor = "start" }: Type = {}): string {
  const own = { ...(fill !== "ink" && { fill }), "font-size": size === 12.5 ? undefined : size, "font-weight": bold ? 700 : undefined, "text-anchor": anchor === "start" ? undefined : anchor };
  return el("text", { x, y, ...own, kind: mono ? "fig-mono" : undefined }, escaped(words));
}

/** About how wide a text is, in pixels: a little more than in most fonts. */
export function widthOf(words: string, { size = 12.5, bold = false, mono = false }: Type = {}): number {
  const letters = [...words];
  const wide = letters.filter((letter) => /[\u2e80-\u9fff\uff00-\uffef]/.test(letter)).length;
  const spaces = mono ? 0 : letters.filter((letter) => letter === " ").length;
  return size * (wide + 0.34 * spaces + (letters.length - wide - spaces) * (mono ? 0.61 : bold ? 0.68 : 0.6));
}

/** A text in lines no wider than `width`; Chinese breaks between any two of its signs, but not before a stop. */
export function wrapped(words: string, width: number, type: Type = {}): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of words.match(/[\u2e80-\u9fff\uff00-\uffef][，。：；、）]*|[^\s\u2e80-\u9fff\uff00-\uffef]+[，。：；、）]*\s*|\s+/gu) ?? []) {
    if (line && widthOf((line + part).trimEnd(), type) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += part;
  }
  return [...lines, line.trimEnd()];
}

/** A way from one point to others, with an arrow's head at its end. Corners are round. */
export function arrow(points: readonly (readonly [number, number])[], stroke: Colour = "ink", more: Attributes = {}): string {
  const [end, before] = [points.at(-1)!, points.at(-2)!];
  const [dx, dy] = [Math.sign(end[0] - before[0]), Math.sign(end[1] - before[1])];
  const head = [[-6 * dx + 5 * dy, -6 * dy - 5 * dx], [-6 * dx - 5 * dy, -6 * dy + 5 * dx]].map(([x, y]) => `${end[0] + x!},${end[1] + y!}`);
  return line(points, stroke, more) + el("path", { stroke, "stroke-width": more["stroke-width"] ?? 1.8, d: `M${head[0]}L${end.join()}L${head[1]}` });
}

/** The same without a head. */
export function line(points: readonly (readonly [number, number])[], stroke: Colour = "ink", more: Attributes = {}): string {
  const path = points.map(([x, y], i) => {
    if (i === 0) return `M${x},${y}`;
    const [after, before] = [points[i + 1], points[i - 1]!];
    if (!after) return `L${x},${y}`;
    const toward = ([a, b]: readonly [number, number]) => `${x + 10 * Math.sign(a - x)},${y + 10 * Math.sign(b - y)}`;
    return `L${toward(before)}Q${x},${y} ${toward(after)}`;
  });
  return el("path", { stroke, "stroke-width": 1.8, d: path.join(""), ...more });
}

/** The file: `words` describe the figure to who cannot see it. */
export function figure(name: string, width: number, height: number, words: string, ...children: readonly string[]): string {
  const dark = Object.entries(COLOURS).map(([colour, [, value]]) => `.fig-fill-${colour}{fill:${value}}.fig-stroke-${colour}{stroke:${value}}`).join("");
  const attributes = { xmlns: "http://www.w3.org/2000/svg", kind: `fig fig-${name}`, fill: "ink" as const, viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words, "font-family": SANS, "font-size": 12.5 };
  const style = el("style", {}, `.fig-mono{font-family:${MONO}}@media (prefers-color-scheme:dark){${dark}}`);
  return `${el("svg", attributes, style, el("rect", { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8, fill: "surface", stroke: "line" }), ...children)}\n`;
}
