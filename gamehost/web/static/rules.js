// The page "How to play": the rules of a game in a few words, a picture, what the signs mean, and a guided first game.

import { Board } from "./board.js";
import { t, titled, told } from "./words.js";
import { h, link, put, svg } from "./dom.js";
import { games, learnGame, loadGame, timesOf, titleOf } from "./games.js";
import { want } from "./guide.js";
import { loggedIn, seek } from "./login.js";
import { look, send } from "./socket.js";
import { state } from "./store.js";

export function open(place, url) {
  look({});
  const name = url.pathname.split("/")[2];
  let closed = false;
  if (games().has(name)) fill(place, name, () => closed);
  else put(place, h("h1", {}, t("This host does not play this game")), h("p", {}, link("/", {}, t("All tables"))));
  document.title = titled(t("How to play {game}", { game: titleOf(name) }));
  return () => (closed = true);
}

/** What is typed at the console is of no use here: it is shown on request. */
const forConsole = (paragraph) => /\btype\b/i.test(paragraph);
/** A table, or a drawing: its spaces stay. */
const isDrawn = (paragraph) => /^ {2}|\S {2,}\S/m.test(paragraph);

/** A table of signs. The legend says more. */
const isTable = (paragraph) => paragraph.split("\n").every((line) => line.startsWith("  "));

/** The paragraphs of a text as elements. */
function paragraphs(texts) {
  return texts.map((text) => told(isDrawn(text) ? text : text.replaceAll("\n", " ")))
    .flatMap((text) => (isListed(text) ? listed(text) : isDrawn(text) ? h("pre", { tabindex: "0" }, text) : h("p", {}, text)));
}

/** Steps with numbers, with sentences before and behind them. */
const isListed = (paragraph) => /^ \d+\. /m.test(paragraph);

function listed(text) {
  const steps = h("ol", {});
  const around = [[], []];
  for (const line of text.split("\n")) {
    const [, step, more] = /^ \d+\. (.*)|^ {3,}(.*)/.exec(line) ?? [];
    if (step !== undefined) steps.append(h("li", {}, step));
    else if (more !== undefined) steps.lastChild.append(` ${more}`);
    else around[steps.childElementCount ? 1 : 0].push(line);
  }
  const [before, behind] = around.map((lines) => lines.length > 0 && h("p", {}, lines.join(" ")));
  return [before, steps, behind];
}

async function fill(place, name, closed) {
  const title = titleOf(name);
  const text = await fetch(new URL(`./games/${name}/help.txt`, import.meta.url)).then((answer) => answer.text());
  const game = await loadGame(name, false);
  await learnGame(name);
  const legend = game?.legend ? (await game.legend()).legend : [];
  if (closed()) return;
  const lessons = h("section", { class: "lesson", "aria-label": t("Lessons") });
  const teach = () => import("./lessons.js").then((module) => loadGame(name).then((whole) => module.open(lessons, name, whole, play)));
  const all = text.trimEnd().split(/\n\s*\n/);
  const typed = all.filter(forConsole);
  const play = () => loggedIn(() => {
    want(true);
    if (state.queued) send({ do: "stop" });
    seek({ game: name, house: "easy" });
  });
  put(place,
    h("h1", {}, t("How to play {game}", { game: title })),
    h("div", { class: "rules" },
      game?.sample && picture(game, title),
      h("div", { class: "rules-text" }, paragraphs(all.filter((one) => !forConsole(one) && !(legend.length && isTable(one)))),
        h("p", { class: "soft" }, timesOf(name)),
        h("div", { class: "row" },
          game?.lessons && h("button", { type: "button", "data-lessons": name, onclick: teach }, t("Three short lessons")),
          h("button", { type: "button", class: "go", "data-guided": name, onclick: play }, t("Play a guided first game")),
          h("span", { class: "soft small" }, t("Against the host's easy player. Each step is explained."))))),
    lessons,
    legend.length > 0 && h("h2", {}, t("What the signs mean")),
    legend.length > 0 && h("dl", { class: "legend" }, legend.map(sign)),
    typed.length > 0 && h("details", { class: "programs" }, h("summary", {}, t("At the console")), paragraphs(typed)));
}

/** A board in the middle of a match. */
function picture(game, title) {
  const board = new Board();
  const options = { seat: 0, mine: null, can: false, moves: [], choice: null, small: true, wide: true, last: null, names: [] };
  board.show(game.draw(game.sample, options));
  return h("figure", { class: "sample", role: "img", "aria-label": t("A match of {game} in its middle", { game: title }) }, board.element);
}

/** A sign, drawn or written, and what it means. */
function sign({ drawn, box = "-30 -30 60 60", written, words }) {
  const shown = drawn ? h("span", { class: "board", "aria-hidden": "true" }, svg(["svg", { viewBox: box }, drawn])) : h("code", {}, written);
  return h("div", {}, h("dt", {}, shown), h("dd", {}, told(words)));
}
