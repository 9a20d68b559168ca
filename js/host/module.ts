// The host of a widget that is saved as a plain ES module. Documentation systems that know anywidget by its first version call
// `render({ model, el })`, without a host that could load other modules; their model has none of the widget's state.

import { pageModel, type PageModel, type Saved, stateOf } from "./model.ts";

interface WidgetPage {
  render(props: { model: PageModel; el: HTMLElement; signal: AbortSignal }): unknown;
}

/** The module's default export. All places of a page that show it share one state. */
export function moduleOf(saved: Saved, page: WidgetPage) {
  const model = stateOf(saved).then((state) => pageModel(state, () => {}));
  return {
    async render({ el }: { el: HTMLElement }): Promise<() => void> {
      const shown = new AbortController();
      await page.render({ model: await model, el, signal: shown.signal });
      return () => shown.abort();
    },
  };
}
