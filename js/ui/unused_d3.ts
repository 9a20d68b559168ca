// Takes the place of d3-interpolate and d3-format in the bundles (see js/build.mjs). Our scales interpolate only numbers, and the
// texts of ticks come from the catalogue of messages.

function unused(): null {
  return null;
}

function interpolateNumber(from: number, to: number): (at: number) => number {
  return (at) => from * (1 - at) + to * at;
}

export { interpolateNumber, interpolateNumber as interpolate, unused as interpolateRound, unused as piecewise };
export {
  unused as format, unused as formatPrefix, unused as formatSpecifier,
  unused as precisionFixed, unused as precisionPrefix, unused as precisionRound,
};
