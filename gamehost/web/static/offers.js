// What the players of a match offer each other: a draw, or to take a move back. Where it can be, says the game.

import { h, put } from "./dom.js";
import { games } from "./games.js";
import { talks } from "./phrases.js";
import { send } from "./socket.js";
import { t } from "./words.js";

const NAMES = { draw: t("Offer a draw"), takeback: t("Take back") };
/** What another player asks for. */
export const asks = (offer, name) => t({ draw: "{name} offers a draw", takeback: "{name} wants to take the last move back" }[offer], { name });
const MINE = { draw: t("You have offered a draw."), takeback: t("You have asked to take your move back.") };
const DECLINED = { draw: t("The draw is declined."), takeback: t("Your move stands.") };

/** What is offered now, with the buttons to answer, and how the last offer has ended. */
export class Offers {
  constructor(number) {
    this.number = number;
    this.element = h("div", { class: "offer" });
  }

  /** The buttons to make an offer: none for watchers, and none against players on wires without a message for it. */
  buttons({ game, seat, names, wires }) {
    const offers = seat === null || names.length !== 2 || !talks(wires[1 - seat]) ? [] : games().get(game)?.offers ?? [];
    return offers.map((offer) => h("button", { type: "button", "data-offer": offer, onclick: () => this.say(offer, "offer") }, NAMES[offer]));
  }

  say(offer, step) {
    send({ do: offer, table: this.number, step, id: 0 });
  }

  /** Returns the words for the live region, if they are new. */
  show(table) {
    const standing = table.over ? null : table.offer;
    const ended = table.over ? null : table.declined;
    if (this.shown === (standing ?? ended)) return null;
    this.shown = standing ?? ended;
    const mine = this.shown?.seat === table.seat;
    const asked = standing && !mine;
    const words = standing ? (mine ? `${MINE[standing.offer]} ${t("{name} has to agree.", { name: table.names[1 - table.seat] })}` : `${asks(standing.offer, table.names[standing.seat])}.`)
      : ended && mine ? DECLINED[ended.offer] : "";
    const answer = (step, words, kind) => h("button", { type: "button", class: kind, "data-answer": step, onclick: () => this.say(standing.offer, step) }, words);
    put(this.element, words && h("p", {}, words),
      asked && h("div", { class: "row" }, answer("accept", t("Accept"), "go"), answer("decline", t("Decline"), "")));
    return asked ? words : null;
  }
}
