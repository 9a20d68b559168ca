// The vectors that Python is held to as well; tests/vectors/make_formats.py writes them.

import { readFileSync } from "node:fs";

/** A committed file of tests/vectors/. */
export function committed<T>(name: string): T {
  return JSON.parse(readFileSync(`tests/vectors/${name}`, "utf8")) as T;
}

/** A file that the generator writes anew, of every 16-bit code. Its absence fails the test. */
export function exhaustive(name: string): DataView {
  const bytes = readFileSync(`build/vectors/${name}`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
