// What a person could not read, reach or hit in the widget that is shown. The page is looked at as it is: its size,
// its theme and what the system asks for are the caller's. `look` is left in the page for the tests.
(() => {
  const root = document.querySelector("#widget > .mw");
  const styleOf = (one) => getComputedStyle(one);
  const visible = (one) =>
    one.getClientRects().length > 0 && styleOf(one).visibility === "visible" && !one.closest(".mw-hidden") &&
    !styleOf(one.closest("thead") ?? one).clipPath.startsWith("inset(50%");
  const all = (selector) => [...root.querySelectorAll(selector)].filter(visible);
  const called = (one) => {
    const words = (one.getAttribute("aria-label") ?? one.textContent).trim().slice(0, 30);
    return `${one.localName}.${one.getAttribute("class") ?? ""} "${words}"`;
  };

  // Contrast (WCAG 2.2), of colours in any notation
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map(); // of one look, in which nothing changes: a colour's parts, and what stands behind an element
  const kept = (key, find) => (known.has(key) || known.set(key, find(key)), known.get(key));
  const rgba = (colour) => kept(colour, () => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  });
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const colours = (image) => image.match(/(?:rgba?|color|oklab|oklch)\((?:[^()]|\([^()]*\))*\)/g) ?? [];
  /** What may stand behind an element's text: one colour, or all those of a pattern. */
  const behind = (element) => kept(element, (one) => {
    if (!one) return [rgba("Canvas")];
    const { backgroundColor, backgroundImage } = styleOf(one);
    const own = rgba(backgroundColor);
    const below = own[3] === 1 ? [own] : behind(one.parentElement).map((other) => over(own, other));
    const pattern = one.localName === "select" ? [] : colours(backgroundImage); // its arrow stands beside the words
    return pattern.length ? pattern.flatMap((part) => below.map((other) => over(rgba(part), other))) : below;
  });
  const least = (colour, grounds) => Math.min(...grounds.map((ground) => contrast(over(rgba(colour), ground), ground)));
  const isOff = (one) => one.closest(":disabled, [aria-disabled=true]") !== null;

  const lie = (a, b) => [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];

  /** Text: 4.5 : 1, no finer than `finest` pixels of the screen, nothing cut off or under the button of the stage. */
  function* ofText(finest) {
    const top = root.hasAttribute("data-stage") && root.querySelector(".mw-stage-button").getBoundingClientRect();
    const line = document.createRange();
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const one = node.parentElement;
      if (!node.data.trim() || !visible(one) || one.closest("option, title")) continue;
      const drawing = one.closest("svg");
      const style = styleOf(one);
      const ratio = least(drawing ? style.fill : style.color, behind(drawing?.parentElement ?? one));
      if (ratio < 4.5) yield `text ${called(one)} has a contrast of ${ratio.toFixed(2)}`;
      line.selectNodeContents(node);
      const isUnder = top && !one.closest(".mw-card-top") && [...line.getClientRects()].some((rect) => Math.min(...lie(rect, top)) > 1);
      if (isUnder) yield `the button of the stage lies on ${called(one)}`;
      const size = parseFloat(style.fontSize) * (one.currentCSSZoom ?? 1);
      if (size < finest) yield `letters of ${size} px: ${called(one)}`;
      if (!drawing) continue;
      const [inner, outer] = [one.getBoundingClientRect(), drawing.getBoundingClientRect()];
      const out = Math.max(outer.left - inner.left, inner.right - outer.right, inner.bottom - outer.bottom);
      if (out > 1.5 * (one.currentCSSZoom ?? 1)) yield `a drawing cuts off ${out.toFixed(1)} px of ${called(one)}`;
    }
    for (const one of all("select, input:is([type=text], [type=number], [type=search])").filter((field) => !isOff(field))) {
      const grounds = behind(one);
      const { color, opacity } = getComputedStyle(one, "::placeholder");
      const written = one.placeholder && !one.value ? color : styleOf(one).color;
      const ratio = least(written, grounds);
      if (ratio < 4.5 || Number(opacity) < 1) yield `the writing in ${called(one)} has a contrast of ${ratio.toFixed(2)}`;
    }
    for (const drawing of all("svg")) {
      const texts = [...drawing.querySelectorAll("text")].filter(visible).map((one) => [one, one.getBoundingClientRect()]);
      for (const [i, [one, a]] of texts.entries()) for (const [other, b] of texts.slice(i + 1)) {
        const [across, down] = lie(a, b);
        if (across > 1 && down > 4) yield `${across.toFixed(1)} px of ${called(one)} lie on ${called(other)}`;
      }
      for (const line of drawing.querySelectorAll(".mw-nl-midpoint line, .mw-nl-plumb")) for (const [text, box] of texts) {
        const isOver = text.compareDocumentPosition(line) & Node.DOCUMENT_POSITION_FOLLOWING;
        if (isOver && Math.min(...lie(line.getBoundingClientRect(), box)) >= 0) yield `a line strikes ${called(text)} through`;
      }
    }
    for (const one of all("*:not(svg, svg *, input, select, canvas, progress)")) {
      const { overflowX, overflowY } = styleOf(one);
      const wide = one.scrollWidth - one.clientWidth;
      const high = one.scrollHeight - one.clientHeight;
      const isCut = (/hidden|clip/.test(overflowX) && wide > 1) || (/hidden|clip/.test(overflowY) && high > 1);
      if (isCut && one.clientWidth && one.textContent.trim() && !one.title) yield `${wide}, ${high} px are cut off: ${called(one)}`;
      if (one.matches(".mw-bit-table :is(td, th)") && wide > 1) yield `${wide} px stick out of the cell ${called(one)}`;
      const scrolls = (/auto|scroll/.test(overflowX) && wide > 1) || (/auto|scroll/.test(overflowY) && high > 1);
      if (scrolls && one.tabIndex < 0 && !one.querySelector("button, input, summary")) yield `no key scrolls ${called(one)}`;
    }
  }

  /** Controls: 24 px to hit, an edge of 3 : 1, but for words that are underlined and rows that are told by their bar or mark. */
  function* ofControls() {
    for (const one of all("button, input, select, summary, a[href], [role=slider], [role=gridcell], [tabindex='0']")) {
      const target = one.closest("label") ?? one;
      const { width, height } = target.getBoundingClientRect();
      if (Math.min(width, height) < 24) yield `${width.toFixed(1)} × ${height.toFixed(1)} px to hit: ${called(target)}`;
      if (isOff(one) && !one.checked && !one.matches(".mw-step-figure") && ![one, target].some((part) => styleOf(part).borderTopStyle === "dashed")) yield `only its grey tells that ${called(target)} cannot be used`;
      const hasEdge = target.matches(".mw-chips label, .mw-exercise-options label, button:not(.mw-term > *, .mw-tensor, .mw-difference-cell, .mw-step-figure, .mw-step-fold), select, input[type=text]");
      if (!hasEdge || isOff(one)) continue;
      const { borderTopColor, borderTopWidth } = styleOf(target);
      const ratio = parseFloat(borderTopWidth) >= 1 ? least(borderTopColor, behind(target.parentElement)) : 0;
      if (ratio < 3) yield `the edge of ${called(target)} has a contrast of ${ratio.toFixed(2)}`;
    }
  }

  /** Marks: 3 : 1 of what is drawn to the card, by fill or stroke. Lines of a grid and tints of a zone tell nothing alone. */
  function* ofMarks() {
    const drawn = "svg :is(path, rect, circle, line, polyline):not(.mw-grid *, .mw-zone, .mw-hatch, defs *)";
    const boxes = ".mw-bar-true, .mw-bar-stored:not(.mw-bar-zero), .mw-lab-swatch, .mw-design-swatch, .mw-design-field span, progress";
    for (const one of all(`${drawn}, ${boxes}`)) {
      const { fill, stroke, backgroundColor, backgroundImage, borderTopColor, borderTopWidth, color } = styleOf(one);
      const own = one.closest("svg")
        ? [fill, stroke]
        : [backgroundColor, ...colours(backgroundImage), ...(parseFloat(borderTopWidth) ? [borderTopColor] : []), ...(one.matches("progress") ? [color] : [])];
      if (own.some((paint) => paint.startsWith("url"))) continue; // its pattern is drawn elsewhere, over a fill of its own
      const grounds = behind((one.closest("svg") ?? one).parentElement);
      const ratio = Math.max(...own.filter((paint) => paint !== "none").map((paint) => least(paint, grounds)));
      if (ratio < 3) yield `the mark ${called(one)} has a contrast of ${ratio.toFixed(2)}`;
    }
  }

  function* ofPage() {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) yield `the page is ${scrollWidth} px wide, of ${innerWidth}`;
    if (!root.hasAttribute("data-stage") && root.scrollHeight > root.clientHeight + 1) yield `${root.scrollHeight - root.clientHeight} px of the card are below its end`;
    for (const one of all("*")) {
      const { transitionDuration, animationName } = styleOf(one);
      const moves = parseFloat(transitionDuration) > 0 || animationName !== "none";
      if (moves && matchMedia("(prefers-reduced-motion: reduce)").matches) yield `it moves: ${called(one)}`;
    }
  }

  /** What Tab should stop at: of radio buttons one a group. */
  function stops() {
    const found = all("button, input, select, summary, a[href], [tabindex]").filter((one) => one.tabIndex >= 0 && !one.matches(":disabled"));
    const groups = Map.groupBy(found.filter((one) => one.type === "radio"), (one) => one.name);
    const passed = [...groups.values()].flatMap((group) => {
      const stop = group.find((one) => one.checked) ?? group[0];
      return group.filter((one) => one !== stop);
    });
    return found.filter((one) => !passed.includes(one));
  }

  window.look = {
    faults(finest) {
      known.clear();
      return [...ofText(finest), ...ofControls(), ...ofMarks(), ...ofPage()];
    },
    stops: () => (look.awaited = stops()).map(called),
    /** Which of the stops has the focus, and whether one sees it: a ring of 2 px and 3 : 1 at it or its label. */
    focused() {
      known.clear();
      const one = document.activeElement;
      const rings = [one, one.closest("label") ?? one].map(styleOf).filter(({ outlineStyle }) => outlineStyle !== "none");
      const seen = rings.some(({ outlineColor, outlineWidth }) =>
        parseFloat(outlineWidth) >= 2 && least(outlineColor, behind(one.closest("label, [role=grid]")?.parentElement ?? one.parentElement)) >= 3);
      return [look.awaited.indexOf(one), seen];
    },
    /** Everything that unfolds, unfolded. */
    unfold() {
      for (const fold of root.querySelectorAll("details")) fold.open = true;
      for (const button of root.querySelectorAll("[aria-expanded=false]")) button.click();
    },
  };
})();
