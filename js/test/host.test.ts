// The host of a saved page, without a page: its model, and the state in the address.

import { describe, expect, test, vi } from "vitest";
import { joinStates, readState, splitStates, writeState } from "#host/address.ts";
import { deflateSync } from "node:zlib";
import { pageModel, stateOf } from "#host/model.ts";

const traits: Record<string, unknown> = { format: "float16", code: "0x0B10", _input: "", log2: -3, saturate: false };
const get = (name: string) => traits[name];
const defaults = { format: null, code: null, _input: "", log2: null, saturate: null };
const TEXT = "format=float16&code=0b10&log2=-3&saturate=false";

describe("the state in the address", () => {
  test("is short, and reads back to the same traits", () => {
    expect(writeState(get, defaults)).toBe(TEXT);
    expect(readState(TEXT, get, defaults)).toEqual(traits);
  });

  test("tells what differs from its default, percent-encoded", () => {
    const typed = { ...traits, _input: "−1e+5 & <b>" };
    const text = writeState((name) => typed[name as keyof typeof typed], defaults);
    expect(text).toBe("format=float16&code=0b10&input=%E2%88%921e%2B5%20%26%20%3Cb%3E&log2=-3&saturate=false");
    expect(readState(text, get, defaults)).toEqual(typed);
  });

  test("may leave out what stays, and what has a default", () => {
    const before = (name: string) => (name === "_input" ? "5" : traits[name]);
    expect(readState("code=0x7bff", before, defaults)).toEqual({ ...traits, code: "0x7BFF" });
    expect(readState("input=", before, defaults)).toEqual(traits);
    expect(readState("saturate=true", get, defaults)).toEqual({ ...traits, saturate: true });
  });

  test.each([["1_000", 1000], ["1e3", 1000], ["2^10", 1024], ["-8/2", -4], ["0x1p4", 16], ["007", 7]])("reads a number as any other: %s", (text, log2) => {
    expect(readState(`log2=${text}`, get, defaults)).toEqual({ ...traits, log2 });
  });

  test.each([
    "", "&", "=", "format", "format&code", "code=", "code=zz", "code=0x", "code=7b ff", "code=1&code=1", "nothing=1",
    "_input=1", "__proto__=1", "constructor=1", "toString=1", "log2=", "log2=1.5", "log2=1/3", "log2=2^60", "log2=NaN", "log2=1e9999", "log2=٣",
    "log2=0x10", "log2=1234567890123456", "saturate=1", "saturate=toString", "format=%E0%A4%A", "%=1", "</script>",
    "<img src=x onerror=alert(1)>", `format=${"a".repeat(1_000_000)}`, "&".repeat(1_000_000),
  ])("takes nothing of %.40j", (text) => {
    expect(readState(text, get, defaults)).toBeNull();
  });
});

describe("the states of several widgets in one address", () => {
  test.each([
    [["a=1", "", "b=%3B"], "a=1;;b=%3B"],
    [["a=1", "", ""], "a=1"],
    [["", "b=2", ""], ";b=2"],
    [["", "", ""], ""],
  ])("%j is joined, and taken apart again", (texts, address) => {
    expect(joinStates(texts)).toBe(address);
    expect(splitStates(address, 3)).toEqual(texts);
  });

  test("of more widgets than the page has is none of its addresses", () => {
    expect(splitStates("a=1;b=2", 1)).toBeNull();
    expect(splitStates(";".repeat(1_000_000), 3)).toBeNull();
  });
});

describe("the model", () => {
  const packed = (...bytes: number[]) => deflateSync(Uint8Array.from(bytes)).toString("base64");
  const savedWidget = () => ({
    state: { code: "0x0001", curves: { one: {} }, list: [] },
    buffers: [
      { path: ["bytes"], data: packed(0, 255, 7) },
      { path: ["curves", "one", "loss"], data: packed(0, 255, 7) },
      { path: ["list", 0], data: packed() },
    ],
  });

  test("puts bytes back where they belong", async () => {
    const model = pageModel(await stateOf(savedWidget()), () => {});
    const bytes = model.get("bytes") as DataView;
    expect([0, 1, 2].map((i) => bytes.getUint8(i))).toEqual([0, 255, 7]);
    expect((model.get("curves") as { one: { loss: DataView } }).one.loss.byteLength).toBe(3);
    expect((model.get("list") as DataView[])[0]!.byteLength).toBe(0);
  });

  test("refuses bytes that are damaged", async () => {
    const broken = { state: {}, buffers: [{ path: ["bytes"], data: btoa("no deflated bytes") }] };
    await expect(stateOf(broken)).rejects.toThrow();
  });

  test("tells of a change once, to those who still listen", () => {
    const model = pageModel(savedWidget().state, () => {});
    const [one, two] = [vi.fn(), vi.fn(() => model.off("change:code", one))];
    model.on("change:code", two);
    model.on("change:code", one);
    model.set("code", "0x0001");
    expect(two).not.toHaveBeenCalled();
    model.set("code", "0x0002");
    model.set("code", "0x0003");
    expect([one.mock.calls.length, two.mock.calls.length, model.get("code")]).toEqual([1, 2, "0x0003"]);
  });

  test("sets the traits of an address before it tells of any", () => {
    const model = pageModel({ one: 1, other: 2, same: 3 }, () => {});
    const heard: unknown[] = [];
    for (const name of ["change:one", "change:other", "change:same", "addressed"]) model.on(name, () => heard.push([name, model.get("one"), model.get("other")]));
    model.assign({ one: 4, other: 5, same: 3 });
    expect(heard).toEqual([["change:one", 4, 5], ["change:other", 4, 5], ["addressed", 4, 5]]);
    model.assign({ one: 4 });
    expect(heard.length).toBe(3);
  });

  test("says where edits are saved, and to a message that there is no kernel, later", async () => {
    const saved = vi.fn();
    const answer = vi.fn();
    const model = pageModel(savedWidget().state, saved);
    model.on("msg:custom", answer);
    model.save_changes();
    model.send({ kind: "launch" });
    expect([saved.mock.calls.length, answer.mock.calls.length]).toEqual([1, 0]);
    await Promise.resolve();
    expect(answer.mock.calls).toEqual([[{ kind: "no_kernel" }, []]]);
  });

  test("a name of Object.prototype is a name like any other", () => {
    const model = pageModel(savedWidget().state, () => {});
    expect(model.get("constructor")).toBeUndefined();
    model.set("__proto__", 1);
    expect([model.get("__proto__"), model.get("toString")]).toEqual([1, undefined]);
  });
});
