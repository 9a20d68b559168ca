// Summarises values in the page, as mixwidgets/floats/gradients/summary.py does.

import type { FloatFormat } from "../formats/float_format.ts";
import { BINADE, boundaries } from "./boundaries.ts";
import { GradientSummary } from "./summary.ts";

const LOWEST = -149; // the exponent of float32's smallest subnormal
const BINADES = 277; // from there to the exponent 127

/** A summary of float32 values, exact for one format at every power-of-two scale. */
export function summaryOf(values: Float32Array, format: FloatFormat): GradientSummary {
  const edges = [...new Set([0, ...boundaries(format).map(({ fraction }) => fraction), BINADE])].sort((a, b) => a - b);
  const width = edges.length - 1;
  const counts = new Float64Array(BINADES * width);
  const samples = new Float64Array(BINADES); // a value of each binade, or 0
  const apart = { zero: 0, inf: 0, nan: 0 };
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < values.length; i++) {
    const magnitude = bits[i]! & 0x7fffffff;
    if (magnitude === 0) apart.zero++;
    else if (magnitude > 0x7f800000) apart.nan++;
    else if (magnitude === 0x7f800000) apart.inf++;
    else {
      const shift = magnitude < 0x800000 ? Math.clz32(magnitude) - 8 : 0; // normalises a subnormal
      const binade = Math.max(magnitude >>> 23, 1) - shift - 127 - LOWEST;
      const fraction = ((magnitude << shift) & 0x7fffff) * 2 ** 29;
      let cell = width - 1;
      while (fraction < edges[cell]!) cell--;
      counts[binade * width + cell]!++;
      samples[binade] ||= values[i]!;
    }
  }
  const rows = [...samples.keys()].filter((binade) => samples[binade] !== 0);
  const cells = rows.flatMap((binade) => [...counts.subarray(binade * width, (binade + 1) * width)]);
  return new GradientSummary(edges, rows.map((binade) => binade + LOWEST), cells, Float64Array.from(rows, (binade) => samples[binade]!), apart);
}
