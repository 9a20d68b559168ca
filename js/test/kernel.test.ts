// What a page hears of its requests.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { kernelLink } from "#ui/kernel.ts";
import { t } from "#ui/messages.ts";

const SLOW = { stop: "sweep.slow" } as const;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a request to a kernel that was restarted is not answered, and throws nothing", () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  const send = vi.fn((_message: { kind: string }) => {
    throw new Error("Cannot send"); // as JupyterLab's comm does
  });
  const ends: (() => void)[] = [];
  const link = kernelLink<"stop">({ model: { send, on: () => {}, off: () => {} }, onClose: (end) => ends.push(end) }, SLOW);
  link.ask("stop");
  expect(link.waiting.value).toEqual(new Set(["stop"]));
  vi.runAllTimers();
  expect(link.waiting.value).toEqual(new Set());
  expect(link.said.value).toEqual({ kind: "stop", text: t(SLOW.stop) });
  expect(send.mock.calls.map(([{ kind }]) => kind)).toEqual(["hello", "stop", "hello", "hello", "hello"]);
  expect(warned).toHaveBeenCalledTimes(5);
  ends.forEach((end) => end()); // says goodbye
  expect(warned).toHaveBeenCalledTimes(6);
  warned.mockRestore();
});

test("each view says hello, and goodbye when it is removed, under a name of its own", () => {
  const sent: Record<string, unknown>[] = [];
  const model = { send: (message: object) => void sent.push(message as Record<string, unknown>), on: () => {}, off: () => {} };
  const ends: (() => void)[] = [];
  for (let i = 0; i < 2; i += 1) kernelLink({ model, onClose: (end) => ends.push(end) }, SLOW);
  const [one, other] = [ends.slice(0, ends.length / 2), ends.slice(ends.length / 2)];
  one.forEach((end) => end());
  vi.runAllTimers();
  const [first, second] = sent.slice(0, 2).map(({ view }) => view);
  expect(first).not.toBe(second);
  expect(sent.filter(({ kind }) => kind === "bye")).toEqual([{ kind: "bye", view: first }]);
  expect(sent.filter(({ kind }) => kind === "hello").map(({ view }) => view)).toEqual([first, second, second, second, second]);
  other.forEach((end) => end());
});
