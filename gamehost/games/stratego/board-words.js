// What Stratego says: squares, events, lost pieces and the status, in the language of the page.

import { KIND_NAMES, settingUp, squareName, t } from "./board.js";

/** What a screen reader says of a square. */
export function describe(view, options, square, moves, marks) {
  const name = view.board[square];
  const where = squareName(square);
  const from = options.choice?.from;
  const reached = from !== undefined && (moves.get(from) ?? []).includes(square);
  const says = (...words) => [where, ...words].filter(Boolean).join(", ");
  if (name === "~") return says(t("lake"));
  if (!name) return says(t("empty"), reached && t("can be moved to"));
  const seated = options.mine !== null && options.mine !== undefined;
  const side = seated ? Number(name[0] !== `${options.mine}`) : 2 + Number(name[0]);
  const piece = t(["your {piece}", "enemy {piece}", "red {piece}", "blue {piece}"][side], { piece: t(KIND_NAMES[name[1]] ?? "piece") });
  const mark = marks?.has(where) && t("marked {piece}", { piece: t(KIND_NAMES[marks.get(where)]) });
  return says(piece, mark, reached ? t("can be attacked") : moves.has(square) && t("can move"));
}

/** The line above the moves. */
export function status(view, options) {
  if (view.phase !== "setup") return {};
  if (settingUp(view, options)) return { title: t("Set up your forty"), detail: t("Both sides set up, unseen by each other") };
  const slow = options.names.filter((_, seat) => !view.ready[seat]);
  return { title: t("Set-up"), detail: slow.length ? t("{names} still sets up|{names} still set up", { n: slow.length, names: slow.join(t(" and ")) }) : t("Both are ready") };
}

/** The pieces of both sides that have been lost, in words; `null`: none. */
export function lost(log) {
  const gone = [[], []];
  for (const { event } of log) {
    if (event.kind !== "fought") continue;
    if (event.winner !== "attacker") gone[event.seat].push(event.attacker);
    if (event.winner !== "defender") gone[1 - event.seat].push(event.defender);
  }
  return gone.map((kinds) => Object.entries(KIND_NAMES).map(([kind, name]) => [kinds.filter((one) => one === kind).length, name])
    .filter(([count]) => count).map(([count, name]) => (count > 1 ? `${t(name)} ×${count}` : t(name))).join(", "));
}

/** Who wins a fight; `null`: nobody. */
const ENDS = ["attacker", "defender", null];

/** An event in words, for those who hear the page. */
export function inWords(event, names) {
  const values = { ...event, name: names[event.seat ?? event.next ?? 0] };
  switch (event.kind) {
    case "ready":
      return t("{name} is ready", values);
    case "playing":
      return t("Play begins; {name} moves first", values);
    case "moved":
      return t("{name}: {from} to {to}", values);
    case "fought": {
      const [attacker, defender] = [t(KIND_NAMES[event.attacker]), t(KIND_NAMES[event.defender])];
      const fight = t("{name}: {attacker} {from} attacks {defender} {to}", { ...values, attacker, defender });
      return `${fight}; ${t(["the attacker stays", "the attacker is gone", "both are gone"][ENDS.indexOf(event.winner)])}`;
    }
  }
  return null;
}
