// Three short lessons before the guided game: a position, a goal, and a sentence when it is reached.
//
// They are data in a game's folder, `board-lessons.json`: a list of
//
//     {title, goal, view, lists, solved, answer, wrong}
//
//     view      what seat 0 sees, as the host's messages have it
//     lists     what can be done: by what is begun of an action ("" is nothing), the lists of `moves` of the open wire
//     solved    the actions that reach the goal: lists of actions to take one after the other
//     answer, wrong   a sentence after these, and one after any other action

import { Board } from "./board.js";
import { h, put, say } from "./dom.js";
import { learnGame } from "./games.js";
import { t, told } from "./words.js";

/** Whether actions are those of a solution. */
export const solves = (lesson, acts) => lesson.solved.some((actions) => actions.join() === acts.join());

/** Show the lessons of a game in `place`. `play()` begins the guided game. */
export async function open(place, name, game, play) {
  await learnGame(name);
  const lessons = await fetch(new URL(`./games/${name}/board-lessons.json`, import.meta.url)).then((answer) => answer.json());
  show(0);

  function show(number) {
    const lesson = lessons[number];
    const said = h("p", { class: "lesson-answer", "data-said": true }, "");
    const next = number + 1 < lessons.length
      ? h("button", { type: "button", class: "go", onclick: () => show(number + 1) }, t("Next lesson"))
      : h("button", { type: "button", class: "go", onclick: play }, t("Play a guided first game"));
    const again = h("button", { type: "button", onclick: () => show(number) }, t("Again"));
    const heading = h("h2", { tabindex: "-1" }, t("Lesson {n} of {all}: {title}", { n: number + 1, all: lessons.length, title: told(lesson.title) }));
    const board = new Board((id) => pressed(id));
    put(place, heading, h("p", {}, told(lesson.goal)), said, board.element, h("div", { class: "row" }, again, next));
    let [view, choice, done] = [lesson.view, null, false];
    draw();
    heading.focus();

    function options() {
      const begun = (choice && game.begun?.(choice)) ?? "";
      const wide = innerWidth >= 700;
      return {
        seat: 0, mine: 0, can: !done, moves: done ? [] : lesson.lists[begun] ?? [], choice, small: false, wide, last: null,
        names: [t("you"), t("the enemy")], fresh: false, turns: [0], picture: null,
      };
    }

    function draw() {
      board.show(game.draw(view, options()), !done);
    }

    function pressed(id) {
      const to = done ? null : game.press(view, options(), id);
      if (!to) return;
      choice = to.act === undefined ? to.choice : null;
      if (to.act !== undefined) {
        done = solves(lesson, [to.act].flat());
        if (done && to.event) view = game.after(view, to.event, 0);
        say(said, done ? `${t("Right.")} ${told(lesson.answer)}` : `${t("Not yet.")} ${told(lesson.wrong)}`);
      }
      draw();
    }
  }
}
