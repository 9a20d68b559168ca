// The five steps of mixed-precision training: what is float32 and what is float16, and where the loss scale acts. The thought is that
// of figure 1 of Micikevicius et al., ICLR 2018. A solid border is float32, a dashed one float16.

import { type MessageKey, t } from "#ui/messages.ts";
import { arrow, type Colour, el, figure, line, text, widthOf } from "./svg.ts";

/** What has a place of its own in the code of a step. */
type Part = "master" | "copies" | "forward" | "loss" | "scale" | "backward" | "scaled" | "unscale" | "gradients" | "check" | "update" | "skip";

const H = 60; // of a box

/** `data-code` names what a page may link to. */
const part = (name: Part, ...children: readonly string[]): string => el("g", { "data-code": name }, ...children);

function box(name: Part, x: number, y: number, width: number): string {
  const narrow = ["copies", "forward", "backward", "scaled"].includes(name);
  const stroke: Colour = name === "skip" ? "error" : narrow ? "accent" : "ink";
  const shape = name === "check"
    ? el("path", { fill: "surface", stroke, "stroke-width": 2, d: `M${x},${y + H / 2}l18,${-H / 2}h${width - 36}l18,${H / 2}l-18,${H / 2}h${36 - width}z` })
    : el("rect", { fill: "surface", stroke, "stroke-width": 2, x, y, width, height: H, rx: 8, "stroke-dasharray": narrow ? "6 4" : undefined });
  const middle = x + width / 2;
  return part(name, shape, text(middle, y + 28, t(`five.${name}` as MessageKey), { size: 14, bold: true, anchor: "middle" }), text(middle, y + 47, t(`five.${name}_note` as MessageKey), { size: 12, fill: "muted", anchor: "middle" }));
}

const number = (x: number, y: number, digit: number): string =>
  el("circle", { cx: x, cy: y, r: 12, fill: "accent" }) + text(x, y + 5, String(digit), { size: 14, bold: true, fill: "surface", anchor: "middle" });

/** A product or a quotient by S: black, in the float32 lane. */
const pill = (name: Part, x: number, y: number, words: string): string =>
  part(name, el("rect", { fill: "ink", x: x - 23, y: y - 14, width: 46, height: 28, rx: 7 }), text(x, y + 6, words, { size: 15, bold: true, fill: "surface", anchor: "middle" }));

const lane = (fill: Colour, x: number, y: number, width: number, height: number): string => el("rect", { fill, x, y, width, height, rx: 10 });

function update(x: number, y: number, words: string, note: string): string {
  return number(x - widthOf(words, { size: 14.5, bold: true }) / 2 - 20, y - 5, 5) + part("update", text(x, y, words, { size: 14.5, bold: true, anchor: "middle" }), text(x, y + 20, note, { size: 12, fill: "muted", anchor: "middle" }));
}

export function fiveSteps(): string {
  const lanes = [["fp32", 142], ["fp16", 298]] as const;
  return figure("five-steps", 960, 404, t("five.words"),
    lane("raised", 8, 86, 944, 134), lane("soft", 8, 242, 772, 112),
    ...lanes.flatMap(([name, y]) => [text(22, y - 2, name.toUpperCase(), { size: 18, bold: true }), text(22, y + 17, t(`five.${name}_note`), { size: 12, fill: "muted" })]),
    line([[868, 112], [868, 34], [706, 34]]), arrow([[352, 34], [188, 34], [188, 110]]),
    update(534, 33, t("five.update"), t("five.update_note")),
    box("master", 115, 112, 146), box("loss", 288, 112, 136), box("gradients", 624, 112, 136), box("check", 795, 112, 146),
    box("copies", 120, 268, 136), box("forward", 288, 268, 136), box("backward", 456, 268, 136), box("scaled", 624, 268, 136), box("skip", 788, 268, 162),
    arrow([[188, 172], [188, 266]]), text(198, 235, t("five.round"), { size: 12 }), arrow([[256, 298], [286, 298]]), arrow([[356, 268], [356, 174]]),
    arrow([[424, 142], [524, 142], [524, 266]]), arrow([[592, 298], [622, 298]]), arrow([[692, 268], [692, 174]]), arrow([[760, 142], [793, 142]]), arrow([[868, 172], [868, 266]]),
    pill("scale", 524, 201, "× S"), pill("unscale", 692, 201, "÷ S"), number(115, 112, 1), number(288, 268, 2), number(484, 201, 3), number(652, 201, 4),
    line([[458, 358], [458, 368], [758, 368], [758, 358]]), text(608, 388, t("five.inside"), { size: 13, anchor: "middle" }));
}

/** The same, standing, for a narrow page. */
export function fiveStepsStanding(): string {
  return figure("five-steps", 366, 690, t("five.words"),
    lane("raised", 24, 10, 160, 670), lane("soft", 194, 10, 166, 442),
    ...([["fp32", 104], ["fp16", 268]] as const).flatMap(([name, x]) => [text(x, 36, name.toUpperCase(), { size: 18, bold: true, anchor: "middle" }), text(x, 55, t(`five.${name}_note`), { size: 12, fill: "muted", anchor: "middle" })]),
    arrow([[30, 590], [12, 590], [12, 110], [28, 110]]),
    box("master", 30, 80, 148), box("copies", 201, 80, 134), box("loss", 30, 178, 148), box("forward", 201, 178, 134), box("backward", 201, 276, 134), box("scaled", 201, 374, 134),
    box("gradients", 30, 464, 148), box("check", 29, 560, 150), box("skip", 199, 560, 156),
    arrow([[178, 110], [199, 110]]), arrow([[268, 140], [268, 176]]), arrow([[201, 208], [180, 208]]), arrow([[104, 238], [104, 306], [199, 306]]), arrow([[268, 336], [268, 372]]),
    arrow([[201, 404], [104, 404], [104, 462]]), arrow([[104, 524], [104, 558]]), arrow([[179, 590], [197, 590]]),
    pill("scale", 146, 306, "× S"), pill("unscale", 146, 404, "÷ S"), number(30, 80, 1), number(201, 178, 2), number(146, 275, 3), number(146, 373, 4),
    line([[341, 278], [347, 278], [347, 432], [341, 432]], "ink", { "stroke-width": 1.4 }), el("g", { transform: "rotate(90 352 355)" }, text(352, 355, t("five.inside_short"), { size: 12, anchor: "middle" })),
    update(112, 645, t("five.update_short"), t("five.update_note_short")));
}
