// What holds a number line: it fits the view to the number, or keeps a view that was chosen by wheel, pinch, drag or keys.
// The dot on the line is a slider, which changes the number when it is dragged or moved by keys.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { nextDown, nextUp } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { rational } from "#core/formats/rational.ts";
import { clamp } from "#core/range.ts";
import { figure } from "#ui/digits.ts";
import { h, set, uniqueId } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { zoomOf } from "#ui/pixels.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import type { View } from "#ui/view.ts";
import { fitted, marksOf, targetAt, targetBeside, type Mark, type Rounded, type Shares, type Target } from "./marks.ts";
import { contains, largest, panned, pixelOf, rowOf, viewportOf, zoomed, type Viewport } from "./viewport.ts";

const NARROWEST = 240; // pixels, also before the page has been laid out
const NOTCH = 40; // pixels of wheel that zoom by a quarter
const PINCH = 4; // steps of zoom a doubling of the fingers' distance
const WHEEL_LINE = 16; // pixels of a line, where a wheel counts in lines
const KEY_PAN = 48;
const KEY_ZOOM = 2;
const INSET = 10; // pixels from the end of the line, where the dot of a number beyond it is drawn
const CLICK = 3; // pixels that the pointer may move in a click

interface Contents {
  readonly fmt: ReadonlySignal<FloatFormat>;
  readonly marks: ReadonlySignal<readonly Mark[]>;
  readonly shares?: Shares;
  /** To the next value of the format. */
  step(direction: 1 | -1): void;
  /** Called when another view has been chosen. */
  looked?(): void;
}

export type Board = ReturnType<typeof lineBoard>;

export function lineBoard(view: View, { fmt, marks, shares, step, looked }: Contents) {
  const keys = h("span", { class: "mw-hidden", id: uniqueId("keys") }, t("line.keys"));
  const element = h("div", { class: "mw-nl-board", tabindex: 0, role: "group", "aria-label": t("line.board"), "aria-describedby": keys.id }, keys);
  const width = view.measured(element, () => Math.max(element.clientWidth, NARROWEST));
  const chosen = signal<Viewport | null>(null);
  const viewport = computed(() => (chosen.value ? { ...chosen.value, width: width.value } : fitted(marks.value, width.value, shares)));
  const look = (next: Viewport | null) => {
    chosen.value = next;
    looked?.();
  };
  const zoom = (steps: number, pixel = viewport.value.width / 2) => look(zoomed(viewport.value, steps, pixel));
  const pan = (pixels: number) => look(panned(viewport.value, pixels));
  const fit = () => look(null);
  navigate(element, { zoom, pan, fit, step });
  view.onChange(fmt, () => (chosen.value = null));
  view.onChange(marks, (all) => {
    const isIn = all.some(({ role, value }) => role === "input" && contains(viewport.value, value));
    if (chosen.value && !isIn) chosen.value = null;
  });
  return {
    element,
    /** The values of the format in view. */
    row: computed(() => rowOf(fmt.value, viewport.value)),
    /** Keep the view until the number leaves it. */
    hold: () => (chosen.value = viewport.value),
    /** Zoom by quarters of a doubling, out where positive. */
    zoom,
    /** Move by a share of the width, to the right where positive. */
    pan: (share: number) => pan(share * width.value),
    fit,
    /** The whole range of the format. */
    whole: () => look(viewportOf(rational(0n), largest(fmt.value), 0.46, width.value)),
  };
}

interface Handling {
  /** Called when a drag begins. */
  grab(): void;
  take(target: Target, isDrag: boolean): void;
  /** Take the number from before the drag again. */
  back(): void;
}

/** Add the handle of the dot to a board whose axis is `axis` pixels from its top. A click on the line moves the number
 * there. */
export function addHandle(view: View, { element, row, hold }: Board, number: ReadonlySignal<Rounded>, axis: number, { grab, take, back }: Handling): void {
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

interface Navigation {
  /** Zoom by quarters of a doubling, out where positive, around a pixel, by default the middle. */
  zoom(steps: number, pixel?: number): void;
  pan(pixels: number): void;
  fit(): void;
  /** To the next value of the format. */
  step(direction: 1 | -1): void;
}

/** Listen on `element`, which has the focus for keys. A wheel alone scrolls the page. */
export function navigate(element: HTMLElement, { zoom, pan, fit, step }: Navigation): void {
  let notches = 0; // that are not zoomed by yet
  const zoomBy = (more: number, event: MouseEvent) => {
    notches += more;
    const steps = Math.trunc(notches);
    if (steps) zoom(steps, pointIn(element, event).x);
    notches -= steps;
  };
  element.addEventListener("wheel", (event) => {
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : WHEEL_LINE;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !event.metaKey && !isSideways) return;
    event.preventDefault();
    if (isSideways) pan(event.deltaX * scale);
    else zoomBy((event.deltaY * scale) / NOTCH, event);
  }, { passive: false });

  const held = new Map<number, PointerEvent>(); // one finger pans, two zoom
  const spread = () => {
    const [first, second] = [...held.values()];
    return first && second ? Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY) : 0;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held.set(event.pointerId, event);
    if (held.size > 1 || !event.defaultPrevented) held.forEach((_, id) => element.setPointerCapture(id)); // a single pointer on the dot drags it
  });
  element.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const before = spread();
    held.set(event.pointerId, event);
    if (before) zoomBy(PINCH * Math.log2(before / Math.max(spread(), 1)), event);
    else if (event.target === element && event.clientX !== last.clientX) pan((last.clientX - event.clientX) / zoomOf(element));
  });
  for (const end of ["pointerup", "pointercancel"] as const) element.addEventListener(end, ({ pointerId }) => held.delete(pointerId));

  element.addEventListener("keydown", (event) => {
    if (event.target !== element || hasModifier(event)) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => pan(-KEY_PAN),
      ArrowRight: () => pan(KEY_PAN),
      ArrowUp: () => step(1),
      ArrowDown: () => step(-1),
      "+": () => zoom(-KEY_ZOOM),
      "=": () => zoom(-KEY_ZOOM), // + without Shift
      "-": () => zoom(KEY_ZOOM),
      Home: fit,
      "0": fit,
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
}

