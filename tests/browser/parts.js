// What a widget says and what Tab stops at, as it is laid out now: for tests that look at it at several sizes, after faults.js.
(() => {
  const nameOf = (one) => (one.getAttribute("aria-label") ?? (one.labels?.[0] ?? one).textContent).trim().replace(/\s+/g, " ");
  window.parts = {
    said() {
      look.stops();
      const walker = document.createTreeWalker(document.querySelector("#widget > .mw"), NodeFilter.SHOW_TEXT);
      const texts = [];
      while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        if (data.trim() && !parentElement.closest("svg, option, [aria-hidden=true]") && parentElement.checkVisibility({ visibilityProperty: true })) texts.push(data.trim());
      }
      return [...look.awaited.map(nameOf), ...texts];
    },
    /** What Tab would stop at without one's seeing it: beyond the window, or under something else. */
    async outOfSight() {
      for (const menu of document.querySelectorAll("#widget .mw-bit-menu")) menu.open = false; // one alone is open at a time
      look.stops();
      const found = [];
      for (const one of look.awaited.filter((one) => one.checkVisibility())) {
        one.focus();
        await new Promise((done) => requestAnimationFrame(done));
        const target = one.closest("label") ?? one;
        const box = target.getBoundingClientRect();
        const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
        const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
        const isSeen = [0.1, 0.5, 0.9].some((x) => [0.1, 0.3, 0.5, 0.7, 0.9].some((y) =>
          target.contains(document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y))));
        if (!isSeen) found.push(nameOf(one));
      }
      return found;
    },
  };
})();
