"""Drag something in a page and time each tick."""

_TIMED = """
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const handlers = [], laidOut = [];
  for (let i = 0; i < ticks; i++) {
    const event = next(i);
    const start = performance.now();
    element.dispatchEvent(event);
    handlers.push(performance.now() - start);
    element.closest('section').getBoundingClientRect();
    laidOut.push(performance.now() - start);
    await frame();
  }
"""

DRAG = (
    """async (element, [ticks, stride]) => {
  const low = Number(element.min), places = Number(element.max) - low + 1;
  const next = (i) => {
    element.value = String(low + (i * stride) % places);
    return new Event('input', { bubbles: true });
  };
"""
    + _TIMED
    + "  return { handlers, laidOut };\n}"
)
"""Milliseconds of each tick of a slider: the handler, and the handler with the layout that it causes. Ticks
move by `stride` positions of the slider, which is not released."""

DRAG_BY_POINTER = (
    """async (element, [ticks, stride]) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const send = (type, by) => new PointerEvent(type, {
    pointerId: 1, isPrimary: true, bubbles: true, cancelable: true, buttons: 1,
    clientX: left + width / 2 + by, clientY: top + height / 2,
  });
  const next = (i) => send('pointermove', (i * stride) % 200 - 100);
  element.dispatchEvent(send('pointerdown', 0));
"""
    + _TIMED
    + """  for (const type of ['pointerup', 'lostpointercapture']) element.dispatchEvent(send(type, 0));
  return { handlers, laidOut };
}"""
)
"""The same of an element that the pointer drags, 100 pixels to either side, by `stride` pixels a tick."""
