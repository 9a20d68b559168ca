// Times a step of the playground's engine, of the same loops without rounding, or of TensorFlow Playground, in Node, for
// benchmarks/playground.py: each line of the input asks for milliseconds of a step of one kind, each line of the output answers.

import { createInterface } from "node:readline";
import { byRows, multiply, transposed } from "#training/network.ts";
import { settingsOf, type Request } from "#training/request.ts";
import { digits } from "#training/serve.ts";
import { Trainer } from "#training/trainer.ts";
import type { Settings } from "#training/settings.ts";

/** The loops of a float32 step on Float32Arrays with nothing rounded but by storing: what a page without formats would run. */
function plainSteps(trainer: Trainer): () => void {
  const { data, settings } = trainer;
  const rows = settings.batchSize;
  const layers = trainer.tensors.filter(({ kind }) => kind === "weight").map(({ shape: [inputs, outputs], kept }) => ({
    inputs, outputs,
    weight: kept.slice(), bias: new Float32Array(outputs), weightGradient: new Float32Array(kept.length), biasGradient: new Float32Array(outputs),
    transposed: new Float32Array(kept.length), first: new Float32Array(kept.length), second: new Float32Array(kept.length),
    firstBias: new Float32Array(outputs), secondBias: new Float32Array(outputs),
  }));
  const values = [data.features, ...layers.map(({ outputs }) => outputs)].map((width) => new Float32Array(rows * width));
  const deltas = values.map((one) => new Float32Array(one.length));
  let at = 0;
  let steps = 0;
  const adam = (weight: Float32Array, gradient: Float32Array, first: Float32Array, second: Float32Array) => {
    const [one, two] = [1 - 0.9 ** steps, 1 - 0.999 ** steps];
    for (let i = 0; i < weight.length; i++) {
      first[i] = 0.9 * first[i]! + 0.1 * gradient[i]!;
      second[i] = 0.999 * second[i]! + 0.001 * gradient[i]! * gradient[i]!;
      weight[i] = weight[i]! - (settings.learningRate * (first[i]! / one)) / (Math.sqrt(second[i]! / two) + settings.eps);
    }
  };
  return () => {
    steps++;
    const labels: number[] = [];
    for (let i = 0; i < rows; i++) {
      at = (at + 1) % data.training.count;
      labels.push(data.training.labels[at]!);
      for (let k = 0; k < data.features; k++) values[0]![i * data.features + k] = data.training.inputs[at * data.features + k]!;
    }
    layers.forEach(({ inputs, outputs, weight, bias }, layer) => {
      const out = values[layer + 1]!;
      multiply(out, byRows(values[layer]!, inputs), weight, rows, inputs, outputs);
      const isHidden = layer + 1 < layers.length;
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < outputs; j++) out[i * outputs + j] = isHidden ? Math.tanh(out[i * outputs + j]! + bias[j]!) : out[i * outputs + j]! + bias[j]!;
      }
    });
    const [logits, delta, classes] = [values.at(-1)!, deltas.at(-1)!, data.classes];
    for (let i = 0; i < rows; i++) {
      let [largest, sum] = [-Infinity, 0];
      for (let j = 0; j < classes; j++) largest = Math.max(largest, logits[i * classes + j]!);
      for (let j = 0; j < classes; j++) sum += delta[i * classes + j] = Math.exp(logits[i * classes + j]! - largest);
      for (let j = 0; j < classes; j++) delta[i * classes + j] = (delta[i * classes + j]! / sum - Number(j === labels[i])) / rows;
    }
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      const { inputs, outputs, weight, weightGradient, biasGradient, transposed: matrix } = layers[layer]!;
      const [below, above] = [values[layer]!, deltas[layer + 1]!];
      multiply(weightGradient, transposed(byRows(below, inputs)), above, inputs, rows, outputs);
      biasGradient.fill(0);
      for (let i = 0; i < rows; i++) for (let j = 0; j < outputs; j++) biasGradient[j] = biasGradient[j]! + above[i * outputs + j]!;
      if (layer === 0) break;
      for (let k = 0; k < inputs; k++) for (let j = 0; j < outputs; j++) matrix[j * inputs + k] = weight[k * outputs + j]!;
      const out = deltas[layer]!;
      multiply(out, byRows(above, outputs), matrix, rows, outputs, inputs);
      for (let i = 0; i < out.length; i++) out[i] = out[i]! * (1 - below[i]! * below[i]!);
    }
    for (const one of layers) {
      adam(one.weight, one.weightGradient, one.first, one.second);
      adam(one.bias, one.biasGradient, one.firstBias, one.secondBias);
    }
  };
}

/** A batch by TensorFlow Playground's own engine, src/nn.ts there: the same examples through a network of the same hidden layers. */
async function theirSteps({ data: { training }, settings }: Trainer): Promise<() => void> {
  const nn = await import(process.env.PLAYGROUND_NN!);
  const { TANH } = nn.Activations;
  const network = nn.buildNetwork([2, ...settings.layers, 1], TANH, TANH, null, ["x", "y"]);
  let at = 0;
  return () => {
    for (let i = 0; i < settings.batchSize; i++) {
      at = (at + 1) % training.count;
      nn.forwardProp(network, [training.inputs[2 * at], training.inputs[2 * at + 1]]);
      nn.backProp(network, 2 * training.labels[at]! - 1, nn.Errors.SQUARE);
    }
    nn.updateWeights(network, settings.learningRate, 0);
  };
}

interface What {
  readonly kind: "plain" | "engine" | "tensorflow";
  readonly settings: Request & Pick<Settings, "task">;
}

async function stepOf({ kind, settings }: What): Promise<() => void> {
  const trainer = new Trainer(settingsOf(settings), digits);
  if (kind === "tensorflow") return theirSteps(trainer);
  return kind === "plain" ? plainSteps(trainer) : () => trainer.step();
}

const known = new Map<string, () => void>();

for await (const line of createInterface({ input: process.stdin })) {
  const { steps, ...what } = JSON.parse(line) as What & { steps: number };
  const name = JSON.stringify(what);
  const step = known.get(name) ?? (await stepOf(what));
  known.set(name, step);
  const start = process.cpuUsage();
  for (let i = 0; i < steps; i++) step();
  const { user, system } = process.cpuUsage(start);
  process.stdout.write(JSON.stringify((user + system) / 1000 / steps) + "\n");
}
