// A multilayer perceptron with softmax and cross-entropy: the forward and the backward pass, and which format each value is
// rounded to. Every sum of products has a fixed order, from the first term to the last, so that NumPy gets the same bits.

import type { Examples } from "./data.ts";
import { exp, log, tanh } from "./functions.ts";
import { round, roundAll, rounderOf, scratch, upper, type Rounder } from "./rounder.ts";
import type { Settings } from "./settings.ts";

interface Precision {
  /** Of inputs, sums and activations. */
  readonly activation: Rounder;
  /** Of all gradients. */
  readonly gradient: Rounder;
  /** Whether sums of products are rounded after each term. */
  readonly accumulatesInFormat: boolean;
}

/** What the passes of one step compute, from the features to the logits and back. Arrays are row by row: examples × width. */
export interface Pass {
  /** The input of each layer, then the logits. */
  readonly values: readonly Float32Array[];
  /** The sums of each layer, before the activation. */
  readonly sums: readonly Float32Array[];
  /** The gradients with respect to these sums, multiplied by the scale. */
  readonly errors: readonly Float32Array[];
  /** The gradients of each layer's weights and biases, multiplied by the scale. */
  readonly gradients: readonly LayerValues[];
}

/** One layer's weights (inputs × outputs) and biases, or their gradients. */
export interface LayerValues {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

const fround = Math.fround;

/** A network's arrays are those of its last pass; with room for more rows than that had, the rest is older. */
export class Network implements Pass {
  /** Units of each layer, from the features to the classes. */
  readonly widths: readonly number[];
  readonly values: readonly Float32Array[];
  readonly sums: readonly Float32Array[];
  readonly errors: readonly Float32Array[];
  readonly gradients: readonly LayerValues[];
  readonly #activation: Settings["activation"];
  readonly #precision: Precision;
  readonly #transposed: readonly Float32Array[];
  readonly #classes: number;
  /** e^(logit − the largest logit) of each class, in one row. */
  readonly #powers: Float32Array;
  /** The classes' probabilities of each row whose loss was computed, and its label. */
  readonly #probabilities: Float32Array;
  #labels: Uint32Array = new Uint32Array();

  constructor(widths: readonly number[], { activation, activationFormat, gradientFormat, accumulation }: Settings, maxRows: number) {
    this.widths = widths;
    this.#activation = activation;
    this.#precision = {
      activation: rounderOf(activationFormat), gradient: rounderOf(gradientFormat), accumulatesInFormat: accumulation === "format",
    };
    const layers = widths.slice(1).map((outputs, layer) => ({ inputs: widths[layer]!, outputs }));
    this.gradients = layers.map(({ inputs, outputs }) => ({
      weight: new Float32Array(inputs * outputs),
      bias: new Float32Array(outputs),
    }));
    this.values = widths.map((width) => new Float32Array(maxRows * width));
    this.sums = layers.map(({ outputs }) => new Float32Array(maxRows * outputs));
    this.errors = layers.map(({ outputs }) => new Float32Array(maxRows * outputs));
    this.#transposed = layers.map(({ inputs, outputs }) => new Float32Array(inputs * outputs));
    this.#classes = widths.at(-1)!;
    this.#powers = new Float32Array(this.#classes);
    this.#probabilities = new Float32Array(maxRows * this.#classes);
  }

  /** Reads the features of some rows of the examples, rounded to the activation format. */
  read({ inputs }: Pick<Examples, "inputs">, rows: ArrayLike<number>): void {
    const width = this.widths[0]!;
    const values = this.values[0]!;
    for (let i = 0; i < rows.length; i++) {
      const from = rows[i]! * width;
      for (let k = 0; k < width; k++) values[i * width + k] = round(this.#precision.activation, inputs[from + k]!);
    }
  }

  /** Computes the logits of the rows that were read. */
  forward(layers: readonly LayerValues[], rows: number): void {
    const { activation } = this.#precision;
    for (let layer = 0; layer < layers.length; layer++) {
      const { weight, bias } = layers[layer]!;
      const [inputs, outputs] = [this.widths[layer]!, this.widths[layer + 1]!];
      const [values, sums] = [this.values[layer + 1]!, this.sums[layer]!];
      this.#product(activation, values, byRows(this.values[layer]!, inputs), weight, rows, inputs, outputs);
      const isHidden = layer + 1 < layers.length;
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < outputs; j++) {
          const sum = (sums[i * outputs + j] = round(activation, values[i * outputs + j]! + bias[j]!));
          values[i * outputs + j] = isHidden ? round(activation, this.#activate(sum)) : sum;
        }
      }
    }
  }

  /** The probabilities of one row of the logits, by softmax in float32, from a place of an array on, and its loss (Micikevicius et
   * al., 3.3). */
  softmax(row: number, label: number, probabilities: Float32Array, to = 0): number {
    const classes = this.#classes;
    const logits = this.values.at(-1)!;
    const at = row * classes;
    let largest = logits[at]!;
    for (let j = 1; j < classes; j++) if (logits[at + j]! > largest) largest = logits[at + j]!;
    let sum = 0;
    for (let j = 0; j < classes; j++) {
      this.#powers[j] = exp(fround(logits[at + j]! - largest));
      sum = fround(sum + this.#powers[j]!);
    }
    for (let j = 0; j < classes; j++) probabilities[to + j] = this.#powers[j]! / sum;
    return fround(fround(log(sum)) + fround(largest - logits[at + label]!));
  }

  /** The forward pass of some rows of the examples by these weights, and their mean loss. */
  loss(layers: readonly LayerValues[], examples: Examples, rows: Uint32Array): number {
    this.#labels = rows.map((row) => examples.labels[row]!);
    this.read(examples, rows);
    this.forward(layers, rows.length);
    let total = 0;
    for (let i = 0; i < rows.length; i++) total = fround(total + this.softmax(i, this.#labels[i]!, this.#probabilities, i * this.#classes));
    return fround(total / rows.length);
  }

  /** The chain rule, from `scale` times that loss down; every gradient is rounded to the gradient format. */
  backward(layers: readonly LayerValues[], scale: number): void {
    const { gradient } = this.#precision;
    const labels = this.#labels;
    const [rows, classes] = [labels.length, this.#classes];
    const [last, factor] = [this.errors.at(-1)!, fround(scale / rows)];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < classes; j++) {
        const at = i * classes + j;
        last[at] = round(gradient, (this.#probabilities[at]! - Number(j === labels[i])) * factor);
      }
    }
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      const [inputs, outputs] = [this.widths[layer]!, this.widths[layer + 1]!];
      const [values, delta, { weight, bias }] = [this.values[layer]!, this.errors[layer]!, this.gradients[layer]!];
      this.#product(gradient, weight, transposed(byRows(values, inputs)), delta, inputs, rows, outputs);
      roundAll(gradient, weight);
      this.#product(gradient, bias, ones, delta, 1, rows, outputs);
      roundAll(gradient, bias);
      if (layer === 0) return;
      const below = this.errors[layer - 1]!;
      const matrix = this.#transpose(layer, layers[layer]!.weight, inputs, outputs);
      this.#product(gradient, below, byRows(delta, outputs), matrix, rows, outputs, inputs);
      for (let i = 0; i < rows * inputs; i++) {
        below[i] = round(gradient, round(gradient, below[i]!) * this.#slope(values[i]!));
      }
    }
  }

  #product(
    rounder: Rounder, out: Float32Array, a: Matrix, b: Float32Array, rows: number, terms: number, columns: number,
  ): void {
    if (this.#precision.accumulatesInFormat) multiplyInFormat(rounder, out, a, b, rows, terms, columns);
    else multiply(out, a, b, rows, terms, columns);
  }

  #activate(sum: number): number {
    return this.#activation === "tanh" ? tanh(sum) : sum < 0 ? 0 : sum;
  }

  /** The derivative of the activation, as a function of the activation's value. */
  #slope(value: number): number {
    return this.#activation === "tanh" ? 1 - value * value : Number(value > 0);
  }

  #transpose(layer: number, weight: Float32Array, inputs: number, outputs: number): Float32Array {
    const result = this.#transposed[layer]!;
    for (let i = 0; i < inputs; i++) {
      for (let j = 0; j < outputs; j++) result[j * inputs + i] = weight[i * outputs + j]!;
    }
    return result;
  }
}

/** A matrix in an array: element (row, column) is at row × rowStep + column × columnStep. */
export interface Matrix {
  readonly values: Float32Array;
  readonly rowStep: number;
  readonly columnStep: number;
}

/** A matrix that is stored row by row. */
export function byRows(values: Float32Array, columns: number): Matrix {
  return { values, rowStep: columns, columnStep: 1 };
}

/** The transpose: the same array, read by columns. */
export function transposed({ values, rowStep, columnStep }: Matrix): Matrix {
  return { values, rowStep: columnStep, columnStep: rowStep };
}

/** A row vector of ones, as long as needed: its product with a matrix sums the columns. */
const ones: Matrix = { values: Float32Array.of(1), rowStep: 0, columnStep: 0 };

/** out (rows × columns) = a (rows × terms) · b (terms × columns), with each sum kept in float32: a product is exact in
 * float64, and storing a sum in `out` rounds it. Sums start at +0 and go from the first term to the last. */
export function multiply(out: Float32Array, a: Matrix, b: Float32Array, rows: number, terms: number, columns: number): void {
  out.fill(0, 0, rows * columns);
  for (let row = 0; row < rows; row++) {
    const to = row * columns;
    for (let term = 0; term < terms; term++) {
      const factor = a.values[row * a.rowStep + term * a.columnStep]!;
      const from = term * columns;
      for (let j = 0; j < columns; j++) out[to + j] = out[to + j]! + factor * b[from + j]!;
    }
  }
}

/** The same with each sum kept in a format: it is rounded after each term, as by `round`, except that a zero is always +0. */
function multiplyInFormat(
  rounder: Rounder, out: Float32Array, a: Matrix, b: Float32Array, rows: number, terms: number, columns: number,
): void {
  const { magic, max, past } = rounder;
  out.fill(0, 0, rows * columns);
  for (let row = 0; row < rows; row++) {
    const to = row * columns;
    for (let term = 0; term < terms; term++) {
      const factor = a.values[row * a.rowStep + term * a.columnStep]!;
      const from = term * columns;
      for (let j = 0; j < columns; j++) {
        const sum = out[to + j]! + factor * b[from + j]!;
        scratch[0] = sum;
        const m = magic[(upper[0]! >>> 20) & 2047]!;
        const rounded = sum + m - m;
        out[to + j] = rounded > max ? past : rounded < -max ? -past : rounded;
      }
    }
  }
}
