// Stands in d3-color's place in the bundles: the scales interpolate numbers alone, and d3-color takes 15 kB of each.

export function color(): null {
  return null;
}

export { color as cubehelix, color as hcl, color as hsl, color as lab, color as rgb };
