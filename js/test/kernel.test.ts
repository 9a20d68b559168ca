// What a page hears of its requests.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { kernelLink } from "#ui/kernel.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a request to a kernel that was restarted is not answered, and throws nothing", () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  const send = vi.fn((_message: { kind: string }) => {
    throw new Error("Cannot send"); // as JupyterLab's comm does
  });
  const slow: string[] = [];
  const link = kernelLink<"stop">(
    { send, on: () => {}, off: () => {} },
    { waiting: () => {}, slow: (kind) => slow.push(kind), refused: () => {}, absent: () => {} },
  );
  link.ask("stop");
  vi.runAllTimers();
  expect(slow).toEqual(["stop"]);
  expect(send.mock.calls.map(([{ kind }]) => kind)).toEqual(["hello", "stop", "hello", "hello", "hello"]);
  expect(warned).toHaveBeenCalledTimes(5);
  link.close(); // says goodbye
  expect(warned).toHaveBeenCalledTimes(6);
  warned.mockRestore();
});

test("each view says hello, and goodbye when it is removed, under a name of its own", () => {
  const sent: Record<string, unknown>[] = [];
  const model = { send: (message: object) => void sent.push(message as Record<string, unknown>), on: () => {}, off: () => {} };
  const tell = { waiting: () => {}, slow: () => {}, refused: () => {}, absent: () => {} };
  const [one, other] = [kernelLink(model, tell), kernelLink(model, tell)];
  one.close();
  vi.runAllTimers();
  const [first, second] = sent.slice(0, 2).map(({ view }) => view);
  expect(first).not.toBe(second);
  expect(sent.filter(({ kind }) => kind === "bye")).toEqual([{ kind: "bye", view: first }]);
  expect(sent.filter(({ kind }) => kind === "hello").map(({ view }) => view)).toEqual([first, second, second, second, second]);
  other.close();
});
