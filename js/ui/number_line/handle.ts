// The dot on a number line as a slider, which changes the number when it is dragged or moved by keys.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { nextDown, nextUp } from "#core/formats/decode.ts";
import { clamp } from "#core/range.ts";
import { figure } from "#ui/digits.ts";
import { h, set } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import type { View } from "#ui/view.ts";
import type { Board } from "./board.ts";
import { marksOf, type Rounded } from "./marks.ts";
import { targetAt, targetBeside, type Target } from "./targets.ts";
import { pixelOf } from "./viewport.ts";

const INSET = 10; // pixels from the end of the line, where the dot of a number beyond it is drawn
const CLICK = 3; // pixels that the pointer may move in a click

interface Actions {
  /** Called when a drag begins. */
  grab(): void;
  take(target: Target, isDrag: boolean): void;
  /** Take the number from before the drag again. */
  back(): void;
}

/** Add the handle to a board whose axis is `axis` pixels from its top. A click on the line moves the number there. */
export function addHandle(view: View, { element, row, hold }: Board, number: ReadonlySignal<Rounded>, axis: number, { grab, take, back }: Actions): void {
  const handle = h("div", { class: "mw-nl-handle", role: "slider", tabindex: 0, "aria-label": t("line.handle") });
  handle.style.top = `${axis}px`;
  element.append(handle);
  const marks = computed(() => marksOf(number.value));
  const dot = computed(() => marks.value.find(({ role }) => role === "input")); // none for NaN
  const x = computed(() => {
    const at = dot.value ? pixelOf(row.value.view, dot.value.value) : 0;
    return clamp(at, INSET, row.value.view.width - INSET);
  });

  view.effect(() => {
    const { fmt, code, input } = number.value;
    const mark = dot.value;
    handle.hidden = !mark;
    if (!mark) return;
    handle.style.left = `${x.value}px`;
    const value = figure(fmt, code).text;
    set(handle, {
      "aria-valuemin": 0, // in pixels: ARIA allows no exponents, as in 1.8e308
      "aria-valuemax": row.value.view.width,
      "aria-valuenow": Math.round(x.value),
      "aria-valuetext": mark.taken || input === "" ? value : t("line.handle_value", { input: mark.label, value }),
    });
  });

  let isDrag = false;
  draggable(handle, (down) => {
    const fromDot = pointIn(element, down).x - x.value;
    return {
      move(event) {
        const to = pointIn(element, event).x - fromDot;
        if (!isDrag && Math.abs(to - x.value) < 1) return;
        if (!isDrag) {
          hold();
          grab();
        }
        isDrag = true;
        take(targetAt(row.value, to), isDrag);
      },
      back: () => isDrag && back(),
    };
  }, () => (isDrag = false));
  handle.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const { fmt, code } = number.value;
    const target = ({
      ArrowRight: () => targetBeside(marks.value, 1),
      ArrowUp: () => targetBeside(marks.value, 1),
      ArrowLeft: () => targetBeside(marks.value, -1),
      ArrowDown: () => targetBeside(marks.value, -1),
      PageUp: () => ({ code: nextUp(fmt, code) }),
      PageDown: () => ({ code: nextDown(fmt, code) }),
      Home: () => ({ code: fmt.signed ? fmt.signBit | fmt.maxCode : 0n }),
      End: () => ({ code: fmt.maxCode }),
    } as Record<string, () => Target | null>)[event.key];
    if (!target) return;
    event.preventDefault();
    event.stopPropagation();
    const to = target();
    if (to) take(to, isDrag);
  });

  let down = 0;
  element.addEventListener("pointerdown", (event) => (down = event.clientX));
  element.addEventListener("click", (event) => {
    const isMove = event.target === handle || Math.abs(event.clientX - down) > CLICK;
    if (!isMove) take(targetAt(row.value, pointIn(element, event).x), isDrag);
  });
}
