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
  link.close();
  warned.mockRestore();
});
