"""Drag a slider in a page and time each tick."""

DRAG = """async (slider, [ticks, stride]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const handlers = [], laidOut = [], low = Number(slider.min), places = Number(slider.max) - low + 1;
  for (let i = 0; i < ticks; i++) {
    slider.value = String(low + (i * stride) % places);
    const start = performance.now();
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    handlers.push(performance.now() - start);
    slider.closest('section').getBoundingClientRect();
    laidOut.push(performance.now() - start);
    await frame();
  }
  return { handlers, laidOut };
}"""
"""Milliseconds of each tick: the handler, and the handler with the layout that it causes. Ticks move by
`stride` positions of the slider, which is not released."""
