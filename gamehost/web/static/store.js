// What the host has sent to this page. `hear` takes the messages; pages read `state`, and are called after a change.
//
// The state is stored here and not in the pages, because the first events of a match come before its page is loaded.
// This module knows no rules: a game's module says what an event changes (`viewOf`).

/** The numbers of questions for advice are greater. */
export const ADVICE = 1e9;

export const state = {
  /** The connection: "closed", "connecting", "open", or "ended" (it is not opened again by itself). */
  link: "closed",
  /** Counts the connections. */
  opened: 0,
  /** When the connection was lost last (`Date.now()`, which also counts while a computer sleeps). */
  lostAt: 0,
  /** Why the connection has ended, in the host's words. */
  why: "",
  /** Whether a log-in was sent and is not answered yet. */
  entering: false,
  /** `{name, key, account}` after the log-in. */
  me: null,
  /** The number of the table where you have a seat in a running match. */
  own: null,
  /** The last `seeking`, while you wait for opponents: in a queue, or else at the table of the last message. */
  seeking: null,
  /** The `seeking` of a queue or a rematch, and of each table that waits for a day, where you have a seat, by number. */
  queued: null,
  openedTables: new Map(),
  /** The last `invitation`, to a table that waits for players. */
  invitation: null,
  /** The last `study` of a finished match. */
  study: null,
  /** The number of the last question for advice that was refused. */
  noAdvice: 0,
  /** The last `rematch` that somebody wants. */
  rematch: null,
  /** The rows of your matches, by table; `null`: not received yet. */
  mine: null,
  /** The answers to `keep` that nobody has read yet. */
  kept: [],
  /** The last `holiday`; `null`: none was received. */
  holiday: null,
  /** The rows of the last `log-ins`; and how often the password was changed. */
  logIns: null,
  passwords: 0,
  /** `{why, count}`: the last thing that the host refused. `count` grows with each. */
  sorry: { why: "", count: 0 },
  /** The tables that you play or watch, by number; see `newTable`. */
  tables: new Map(),
  /** The rows of the lobby by number of the table, and whether they were received. */
  rows: new Map(),
  listed: false,
  /** Who waits: rows by name of the game. */
  waiting: new Map(),
};

/** Whether the times from the host are still valid. After a lost connection the host sends them again at the log-in. */
export const known = () => state.link === "open" && !state.entering;

const readers = new Set();
let due = false;

/** Call `reader` after each change, once for all that come together. Returns the function that ends it. */
export function listen(reader) {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Call the readers, because the state has changed. */
export function changed() {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    for (const reader of [...readers]) reader(state);
  });
}

function newTable(message, seat) {
  return {
    number: message.table,
    game: message.game,
    /** Your seat; `null`: you watch. */
    seat,
    names: message.names,
    wires: message.wires,
    away: new Set(message.away ?? []),
    left: new Set(),
    /** By seat: when an absent player loses it, as `performance.now()` says. */
    kept: new Map(),
    /** By seat of a player who has not come back: what you can claim, and when the match ends otherwise, `{as, ends}`. */
    claims: new Map(),
    /** How many milliseconds your seat is reserved while the connection is lost. */
    grace: message.grace ?? 60_000,
    n: message.n,
    /** The entry after which this page receives the events; 0: all of them. */
    since: message.n,
    /** The delay of watchers, in seconds. */
    delay: message.delay ?? 0,
    /** Whether the host knows who is away. It does not, if another host of a cluster plays the match. */
    presence: message.presence ?? true,
    /** `{winners, cause, why}` when the match is over. */
    over: null,
    suspended: false,
    /** The milliseconds left of each seat, and when they were received (as `performance.now()` says). */
    clocks: null,
    clocksAt: 0,
    /** The milliseconds for the present turn, `[left, allowed]`, and when they were received; `null`: no limit. */
    due: null,
    dueAt: 0,
    /** The view that the host showed; events that came later wait in `fresh` for `viewOf`. */
    view: null,
    fresh: [],
    /** `{n, event}` of all events that are known. `complete`: from the first one on. */
    log: [],
    complete: seat !== null && message.n === 0,
    /** The code of a private table that this page has opened. */
    code: undefined,
    /** `{id, event, actions}`: your own move, shown before the host has confirmed it, and how many actions it takes. */
    guess: null,
    /** The last `refused`. */
    refused: null,
    /** What your seat can do after entry `n`: the host's lists by what is begun of an action; `null`: not known. */
    moves: null,
    /** What is offered now, and what was declined last: `{seat, offer}`. */
    offer: null,
    declined: null,
    /** The question for moves that is not answered yet, `{id, begun}`. */
    asked: null,
    /** The picture that came with the last answer, for a game without a board of its own. */
    picture: null,
  };
}

/**
 * How a match stands: the host's view and the events since. `game` is the game's module. `heard(event, before)` is called for
 * each event that is new, with the view before it.
 */
export function viewOf(table, game, heard) {
  while (table.fresh.length) {
    const event = table.fresh.shift();
    heard?.(event, table.view);
    table.view = game.after(table.view, event, table.seat);
  }
  if (game.at) table.view = game.at(table);
  return table.view;
}

/** As `viewOf`, with your own move that the host has not confirmed yet. */
export function guessedView(table, game) {
  const view = viewOf(table, game);
  return table.guess?.event ? game.after(view, table.guess.event, table.seat) : view;
}

function clocked(table, message) {
  if (message.clocks) {
    table.clocks = message.clocks;
    table.clocksAt = performance.now();
  }
  table.due = message.due ?? null;
  table.dueAt = performance.now();
}

const onTable = {
  moves(table, message) {
    if (message.id > ADVICE) table.advice = message;
    if (message.id !== table.asked?.id) return;
    if (table.moves?.n !== message.n) table.moves = { n: message.n, lists: new Map() };
    table.moves.lists.set(table.asked.begun, message.moves);
    table.moves.why = message.why;
    table.picture = message.picture ?? table.picture;
    table.asked = null;
  },
  event(table, message) {
    // A guess is shown until the host has sent the event of its last action.
    if (table.guess && message.n > table.n) table.guess.actions -= 1;
    if (!(table.guess?.actions > 0)) table.guess = null;
    table.n = message.n;
    table.refused = null;
    table.declined = null;
    if (message.event.kind === "taken-back") table.offer = null;
    table.fresh.push(message.event);
    table.log.push({ n: message.n, event: message.event });
    clocked(table, message);
  },
  history(table, message) {
    table.log = [...message.events, ...table.log.filter((entry) => entry.n > message.n)];
    table.complete = true;
  },
  away(table, message) {
    table.away.add(message.seat);
    table.claims.delete(message.seat);
    if (message.kept !== undefined) table.kept.set(message.seat, performance.now() + message.kept);
  },
  claim(table, { seat, as, ends }) {
    table.kept.delete(seat);
    if (as.length) table.claims.set(seat, { as, ends: performance.now() + ends });
    else table.claims.delete(seat);
  },
  left: (table, message) => table.left.add(message.seat),
  back(table, message) {
    table.away.delete(message.seat);
    table.kept.delete(message.seat);
    if (message.view !== undefined) {
      Object.assign(table, { view: message.view, fresh: [], guess: null, moves: null, n: message.n });
      table.complete ||= message.n === 0;
    }
  },
  replaced(table, message) {
    table.names = table.names.with(message.seat, message.name);
    table.away.delete(message.seat);
    table.kept.delete(message.seat);
  },
  over(table, message) {
    Object.assign(table, { over: message, guess: null, n: message.n });
    if (state.own === table.number) state.own = null;
  },
  offered: (table, message) => Object.assign(table, { offer: message, declined: null, refused: null, n: message.n }),
  declined: (table, message) => Object.assign(table, { offer: null, declined: message, n: message.n }),
  said(table, message) {
    table.said = { ...message, count: (table.said?.count ?? 0) + 1 };
  },
  suspended(table) {
    table.suspended = true;
    if (state.own === table.number) state.own = null;
  },
};

const general = {
  entered(message) {
    state.entering = false;
    const { name } = message;
    state.me = { name, shown: message.shown_as?.[name] ?? name, key: message.key, account: message.account === true };
    state.own = message.table ?? null;
    state.mine = null;
    waitNowhere();
  },
  seeking(message) {
    if (!message.lasts) state.queued = message;
    else state.openedTables.set(message.table, message);
    waitsNow();
  },
  mine: (message) => (state.mine = new Map(message.matches.map((row) => [row.table, row]))),
  row: (message) => (message.state === "gone" ? state.mine?.delete(message.table) : state.mine?.set(message.table, message)),
  "log-ins": (message) => (state.logIns = message.log_ins),
  "password-changed": () => (state.passwords += 1),
  notices: (message) => (state.notices = message.ways),
  kept: (message) => state.kept.push(message),
  holiday: (message) => (state.holiday = message),
  study: (message) => (state.study = message),
  rematch: (message) => (state.rematch = message),
  invitation: (message) => (state.invitation = message),
  stopped(message) {
    waitNowhere(); // tables that wait on are told again
    if (message.why) refuse(message.why);
  },
  seated(message) {
    const known = state.tables.get(message.table);
    const table = newTable(message, message.seat);
    // After a lost connection, the earlier events are still true.
    if (known && known.seat === message.seat) Object.assign(table, { log: known.log, complete: known.complete });
    table.code = known?.code ?? (state.openedTables.get(message.table) ?? state.queued)?.code;
    clocked(table, message);
    state.tables.set(message.table, table);
    table.by = message.by;
    if (!table.by || message.n === 0) state.own = message.table; // a slow match is shown on its page alone, but when it begins
    state.queued = state.rematch = null;
    state.openedTables.delete(message.table);
    waitsNow();
  },
  shown(message) {
    const known = state.tables.get(message.table);
    const table = newTable(message, null);
    table.view = message.view;
    if (known && known.n === message.n) Object.assign(table, { log: known.log, complete: known.complete });
    clocked(table, message);
    state.tables.set(message.table, table);
  },
  tables(message) {
    state.rows = new Map(message.tables.map((row) => [row.table, row]));
    state.waiting = new Map();
    for (const row of message.waiting) state.waiting.set(row.game, [...(state.waiting.get(row.game) ?? []), row]);
    state.listed = true;
  },
  table: (message) => state.rows.set(message.table, message),
  gone: (message) => state.rows.delete(message.table),
  waiting: (message) => state.waiting.set(message.game, message.waiting),
  refused(message) {
    if (message.id > ADVICE) return void (state.noAdvice = message.id);
    // A question may be sent just before the end of its match arrives. Then its answer is not needed.
    const asked = [...state.tables.values()].find((one) => one.asked && one.asked.id === message.id);
    if (asked) return notListed(asked);
    const table = [...state.tables.values()].find((one) => one.guess && one.guess.id === message.id) ?? state.tables.get(state.own);
    if (table) Object.assign(table, { refused: message, guess: message.id === 0 ? table.guess : null });
    else refuse(message.why);
  },
  sorry: (message) => refuse(message.why),
  notice: (message) => (state.sorry = { why: message.text, count: state.sorry.count + 1 }),
  bye: (message) => (state.why = message.why),
};

function waitsNow() {
  state.seeking = state.queued ?? [...state.openedTables.values()].at(-1) ?? null;
}

function waitNowhere() {
  state.queued = null;
  state.openedTables.clear();
  waitsNow();
}

/** There are too many actions for a list, such as set-ups of Stratego. */
function notListed(table) {
  if (table.moves?.n !== table.n) table.moves = { n: table.n, lists: new Map() };
  table.moves.lists.set(table.asked.begun, []);
  table.asked = null;
}

function refuse(why) {
  state.entering = false;
  state.sorry = { why, count: state.sorry.count + 1 };
}

/** A message with the names of players as they typed them. */
function asTyped(message) {
  const shown = message.shown_as;
  const typed = (key, value) => (["names", "away"].includes(key) ? value.map((one) => shown[one] ?? one) : key === "name" ? shown[value] ?? value : value);
  return shown && message.is !== "entered" ? JSON.parse(JSON.stringify(message), typed) : message;
}

/** Handle one message of the host. Unknown messages change nothing: a later host may send more kinds. */
export function hear(told) {
  const message = asTyped(told);
  const said = message.is;
  if (Object.hasOwn(onTable, said)) {
    const table = state.tables.get(message.table);
    if (table) onTable[said](table, message);
  } else if (Object.hasOwn(general, said)) general[said](message);
  changed();
}

/** The connection is lost or has not begun: remove all state that the page must ask for again. */
export function disconnected(link) {
  if (state.link === "open") state.lostAt = Date.now();
  Object.assign(state, { link, entering: false, listed: false, kept: [] });
  waitNowhere();
  for (const table of state.tables.values()) Object.assign(table, { guess: null, moves: null, asked: null });
  changed();
}
