// The stories: which one is told, what to watch in it, and what the stage asks before it is told.

import { h, setText } from "#ui/dom.ts";
import { type MessageKey, t } from "#ui/messages.ts";
import type { Question } from "#ui/stage.ts";
import { menu } from "./fields.ts";
import type { Page } from "./parts.ts";
import { stories, usual } from "./state.ts";

/** `play`: train from the start. */
export function storiesPart({ view, traits, edit }: Page, play: () => void): { choice: HTMLElement; text: HTMLElement; questions: Question[] } {
  const names = ["", ...Object.keys(stories)];
  const tell = (story: string) => edit({ ...usual, ...stories[story], story });
  const title = (name: string) => t((name ? `play.story_${name}` : "play.no_story") as MessageKey);
  const choice = menu<string>(t("play.story"), names, title, tell);
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
  const questions = Object.keys(stories).map((story) => ({
    ask: t(`play.ask_${story}` as MessageKey),
    isAnswered: () => true, // whatever trains may be this story
    answer() {
      tell(story);
      play();
    },
  }));
  return { choice: choice.element, text, questions };
}
