// The stories: which one is told, and what to watch in it.

import { h, setText } from "#ui/dom.ts";
import { type MessageKey, t } from "#ui/messages.ts";
import { menu } from "./fields.ts";
import type { Page } from "./parts.ts";
import { stories, usual } from "./state.ts";

export function storiesPart({ view, traits, edit }: Page): { choice: HTMLElement; text: HTMLElement } {
  const names = ["", ...Object.keys(stories)];
  const title = (name: string) => t((name ? `play.story_${name}` : "play.no_story") as MessageKey);
  const choice = menu<string>(t("play.story"), names, title, (name) => edit({ ...usual, ...stories[name], story: name }));
  const [watch, then] = [h("p"), h("p")];
  const text = h("div", { class: "mw-play-watch" }, watch, then);
  choice.element.hidden = names.length === 1;
  view.effect(() => {
    const { story } = traits.value;
    choice.show(story);
    text.hidden = story === "";
    if (story === "") return;
    setText(watch, t(`play.watch_${story}` as MessageKey));
    setText(then, t(`play.try_${story}` as MessageKey));
  });
  return { choice: choice.element, text };
}
