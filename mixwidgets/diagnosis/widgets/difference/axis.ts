// The axis of relative errors: logarithmic, as wide as what is shown, in percent of half a row. No DOM.

const [FIRST, LAST, END] = [12, 80, 96]; // of what is finite and not 0; 0 stands at the middle of the row, infinity at END
const MOST_TICKS = 4;

export type Axis = ReturnType<typeof axisOf>;

export function axisOf(errors: readonly number[]) {
  const logs = errors.filter((one) => one > 0 && one < Infinity).map(Math.log10);
  const low = Math.floor(Math.min(0, ...logs));
  const high = Math.max(Math.ceil(Math.max(...logs, low)), low + 1);
  const step = Math.ceil((high - low) / (MOST_TICKS - 1));
  const place = (log10: number) => FIRST + ((LAST - FIRST) * (log10 - low)) / (high - low);
  return {
    /** Where an error stands, in percent from the middle; NaN, of a module that raises, at the end. */
    place: (error: number) => (error === 0 ? 0 : error < Infinity ? place(Math.log10(error)) : END),
    /** Exponents of ten. */
    ticks: Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step),
  };
}
