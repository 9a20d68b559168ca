// Random numbers by counting: number i of a stream is a hash of the stream's key and i, so that a page and NumPy draw the same.

/** murmur3's finaliser (Austin Appleby, public domain): a bijection of 32 bits that mixes every bit into every other. */
function mixed(bits: number): number {
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

export class Stream {
  readonly #key: number;
  #count = 0;

  /** Streams of one seed with different names (numbers) have nothing to do with each other. */
  constructor(seed: number, name: number) {
    this.#key = mixed(mixed(seed + 0x9e3779b9) + name);
  }

  /** The next number, uniform among the multiples of 2^-24 from 0 to below 1. */
  next(): number {
    const bits = mixed(mixed(this.#count++) + this.#key);
    return (bits >>> 8) / 2 ** 24;
  }

  /** The next integer from 0 to below n ≤ 2^24. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
}

/** Endless batches of row numbers: all rows in a new random order in every epoch, without a break between epochs. */
export class Batches {
  readonly #stream: Stream;
  readonly #order: Uint32Array;
  #at: number;

  constructor(count: number, stream: Stream) {
    this.#stream = stream;
    this.#order = Uint32Array.from({ length: count }, (_, row) => row);
    this.#at = count;
  }

  next(size: number): Uint32Array {
    const rows = new Uint32Array(size);
    for (let i = 0; i < size; i++) {
      if (this.#at === this.#order.length) this.#shuffle();
      rows[i] = this.#order[this.#at++]!;
    }
    return rows;
  }

  /** Fisher and Yates, from the end. */
  #shuffle(): void {
    const order = this.#order;
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.#stream.below(last + 1);
      [order[last], order[other]] = [order[other]!, order[last]!];
    }
    this.#at = 0;
  }
}
