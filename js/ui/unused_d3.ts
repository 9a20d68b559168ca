// Stands in the place of d3-color and d3-format in the bundles: the scales interpolate numbers alone, and the words
// of ticks come from the catalogue of messages. They would take 25 kB of each bundle.

function unused(): null {
  return null;
}

export { unused as color, unused as cubehelix, unused as hcl, unused as hsl, unused as lab, unused as rgb };
export {
  unused as format, unused as formatPrefix, unused as formatSpecifier,
  unused as precisionFixed, unused as precisionPrefix, unused as precisionRound,
};
