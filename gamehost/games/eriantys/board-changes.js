// What differs between two boards of Eriantys: the list of moves says it, and the board marks what the last player has done.

import { CHARACTER_WORDS } from "./board-words.js";
import { COLOURS, sum, t } from "./board.js";

const BUILT_WORDS = { white: "white tower", black: "black tower", grey: "grey tower" };

const more = (heap, old) => COLOURS.filter((colour) => heap[colour] > (old?.[colour] ?? 0));

/** The students of the islands that an island is made of now. */
function heapBefore(old, island) {
  const parts = old.islands.filter((one) => one.members.some((member) => island.members.includes(member)));
  return Object.fromEntries(COLOURS.map((colour) => [colour, parts.reduce((total, one) => total + one.students[colour], 0)]));
}

/** What has happened to an island. `place` is the first of its parts: islands merge, and then their numbers are others. */
function islandChanges(old, island, mother) {
  const [place, n] = [`island ${island.members[0]}`, island.number];
  const before = old.islands.find((one) => one.members.includes(island.members[0]));
  const found = more(island.students, heapBefore(old, island)).map((colour) => ({ text: t("{colour} to island {n}", { colour: t(colour), n }), place }));
  if (mother) found.push({ text: t("Mother Nature to island {n}", { n }), place });
  if (island.tower && before.tower !== island.tower) found.push({ text: t(BUILT_WORDS[island.tower]), place, tower: true });
  if (island.noEntryTiles > before.noEntryTiles) found.push({ text: t("tile to island {n}", { n }), place });
  return found;
}

/** What differs between two boards, in the order in which it is done: texts for the list of moves, and places to be marked. */
function changes(old, board) {
  const at = (one) => one.islands.find((island) => island.number === one.motherNature);
  const stood = at(old);
  const taken = board.clouds.flatMap((cloud, place) => (sum(old.clouds[place]) && !sum(cloud) ? [place] : []));
  const found = board.islands.flatMap((island) => islandChanges(old, island, island === at(board) && !island.members.includes(stood.members[0])));
  for (const [seat, player] of board.players.entries()) {
    const before = old.players[seat];
    for (const colour of more(player.diningRoom, before.diningRoom)) found.push({ text: t("{colour} to dining room", { colour: t(colour) }), place: `dining ${seat} ${colour}` });
    for (const colour of more(before.diningRoom, player.diningRoom)) found.push({ text: t("{colour} out of dining room", { colour: t(colour) }), place: `dining ${seat} ${colour}` });
    if (!taken.length) for (const colour of more(player.entrance, before.entrance)) found.push({ text: t("{colour} to entrance", { colour: t(colour) }), place: `entrance ${seat} ${colour}` });
  }
  for (const place of taken) found.push({ text: t("cloud {n}", { n: place + 1 }), place: `cloud ${place}` });
  return found;
}

/** What has been done in a turn, with what another board shows. The next turn begins anew with its first change. */
export function doneBy(view, board) {
  const places = view.board?.round && board.round ? changes(view.board, board).map((one) => one.place) : [];
  if (!places.length) return view.done;
  // The cloud, which ends a turn, is told after its end.
  const goesOn = view.done.seat === view.turn && (!view.done.over || places[0].startsWith("cloud"));
  return { seat: view.turn, places: goesOn ? [...view.done.places, ...places] : places, over: view.done.over && goesOn };
}

/** What differs, in words, for those who hear it; `null`: nothing. Towers are said with the owner of their island. */
export function inWords(board, before, names) {
  if (!before?.board?.round || !board.round) return null;
  const found = changes(before.board, board).filter((one) => !one.tower).map((one) => one.text);
  return found.length ? `${names[before.turn]}: ${found.join(", ")}` : null;
}

/** A board after the deal is a part of a move. `before`: the view with the board before it. */
export function inShort(board, before) {
  if (!before?.board?.round || !board.round) return null;
  const text = changes(before.board, board).map((one) => one.text).join(", ");
  return { seat: before.turn, text, otherwise: t(CHARACTER_WORDS[board.activeCharacter]?.[0] ?? "no change") };
}
