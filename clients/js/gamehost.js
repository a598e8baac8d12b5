// A client of gamehost's open wire (docs/wires/open.rst), for Node 18 and later, without packages.
//
//     import { Client } from "./gamehost.js";
//     const client = new Client("ann");
//     const result = await client.play("onitama", (view, legal) => legal[0].action, { house: "easy" });
//     client.close();
//
// The client logs in, looks for opponents, and asks the host what may be done. It calls your function when there is something
// to decide. After a lost connection it connects again, shows the key that the host has given it, and has the seat back. It
// knows no rules, so it plays each game of a host.

import net from "node:net";

/**
 * An action that may be taken now.
 * @typedef {object} Move
 * @property {string} action as the host wants it, such as `ox c1 c2`; what `choose` returns
 * @property {Record<string, any>} parts the same in parts, such as `{kind: "move", card: "ox", from: "c1", to: "c2"}`
 * @property {boolean} [more] it is the beginning of an action: `choose` is called again with what can follow it
 */

/**
 * What you know when you decide.
 * @typedef {object} View
 * @property {string} game
 * @property {number} table
 * @property {number} seat yours; the first one is 0
 * @property {string[]} names of all players, by seat
 * @property {number} n the number of the last thing that has happened at the table
 * @property {any} position how the match stands for your seat: the `view` of the game in docs/wires/open.schema.json
 * @property {string} begun the beginning of an action that you have chosen; empty: nothing is begun
 * @property {string} [why] why the list of legal moves is empty although you may act: there are too many
 */

/**
 * Gives the action to take: that of a legal move, or another one that the game's page describes.
 * @callback Choose
 * @param {View} view
 * @param {Move[]} legal all that may be done now, without what the host has just refused
 * @returns {string | Promise<string>}
 */

/**
 * Whom to play, and how: as in the message `seek`. With `table`, it is the message `join`.
 * @typedef {object} Opponents
 * @property {string} [house] a level of house players: `random`, `easy`, `medium`, `hard`
 * @property {number} [seats] how many play
 * @property {"first" | "second" | "any"} [seat]
 * @property {Record<string, string | number | boolean>} [settings]
 * @property {boolean} [private] others need the code that `seeking` tells you
 * @property {number} [table] a table that waits for players
 * @property {string} [code] of a private table
 */

/**
 * How a match has ended.
 * @typedef {object} Result
 * @property {string} game
 * @property {number} table
 * @property {number} seat
 * @property {string[]} names
 * @property {number[]} winners seats; empty: a draw, or not known
 * @property {string} cause `rules`, `left`, `time`, `violation`; `suspended`: a fault of the host; `lost`: it has ended while
 *   there was no connection, and the host does not say how
 * @property {string} why the same in words
 */

/**
 * @typedef {object} Options
 * @property {string} [host] by default 127.0.0.1
 * @property {number} [port] by default 8889
 * @property {string} [key] of an earlier connection: a program that was ended takes its seat back with it
 * @property {string} [password] for an account instead of a guest
 * @property {(message: Record<string, any>) => void} [hear] is given each message of the host
 * @property {(words: string) => void} [log] is told of lost connections and refusals; by default they go to stderr
 */

/** @typedef {Opponents & {game: string}} Sought */
/** @typedef {{sought: Sought, choose: Choose, resolve: (result: Result) => void, reject: (error: Error) => void}} Match */
/** @typedef {{game: string, table: number, seat: number, names: string[], n: number}} Table */

/** Milliseconds until the first attempt to connect again; each further pause is twice as long, up to the longest. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [500, 5_000];
/** Milliseconds without a connection after which a client gives up. */
const PATIENCE = 30_000;
const CONNECT_WITHIN = 5_000;
/** After so many milliseconds in which nothing was sent or heard, a ping; then so many for its answer. */
const [PING_AFTER, PONG_WITHIN] = [10_000, 5_000];
/** So many refusals without anything happening between them are a fault of `choose`. */
const MOST_REFUSALS = 3;
/** The longest line that the host takes, in bytes. */
const LONGEST_SAID = 4096;
/** The longest lines of the host, in characters: before a match, in it (the list of 1,000 moves), and after a question for a list. */
const [LONGEST_HEARD, LONGEST_MOVES, LONGEST_LIST] = [1 << 16, 1 << 20, 1 << 24];

/** The host cannot be reached, does not want this client, or has refused what it asked for. */
export class HostError extends Error {
  name = "HostError";
}

// What is read of the host's messages. Each is checked before anything of it is used.

/** @typedef {(value: unknown) => boolean} Check */
/** Such texts reach terminals, so that they hold no control characters. @type {Check} */
const text = (value) => typeof value === "string" && !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(value);
/** @type {Check} */
const count = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @type {Check} */
const seconds = (value) => typeof value === "number" && value >= 0;
/** @type {(each: Check) => Check} */
const list = (each) => (value) => Array.isArray(value) && value.every(each);
/** @type {Check} */
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @type {Check} */
const move = (value) => object(value) && faultIn(/** @type {any} */ (value), { action: text, parts: object }) === "";
/** A key may be missing. @type {(check: Check) => Check} */
const maybe = (check) => (value) => value === undefined || check(value);

/** @type {Record<string, Record<string, Check>>} */
const SHAPES = {
  entered: { key: maybe(text), table: maybe(count) },
  sorry: { why: text },
  stopped: { why: maybe(text) },
  bye: { why: text, again: maybe(seconds) },
  seated: { table: count, game: text, seat: count, names: list(text), n: count },
  event: { table: count, n: count },
  back: { table: count, n: count, seat: count },
  replaced: { table: count, n: count, seat: count, name: text },
  moves: { table: count, n: count, moves: list(move), why: maybe(text) },
  refused: { why: text },
  over: { table: count, winners: list(count), cause: text, why: text },
  suspended: { table: count },
};

/**
 * The first key with a value that cannot be right; empty: there is none.
 * @param {Record<string, any>} message
 * @param {Record<string, Check>} shape
 */
function faultIn(message, shape) {
  return Object.keys(shape).find((key) => !shape[key](message[key])) ?? "";
}

/** One player. It plays one match at a time, as many as you like. */
export class Client {
  /**
   * The key of the last log-in: `new Client(name, {key})` takes the seat back in another program.
   * @type {string | undefined}
   */
  key;
  #name;
  /** @type {Required<Pick<Options, "host" | "port" | "hear" | "log">> & Options} */
  #options;
  /** @type {net.Socket | null} */
  #socket = null;
  #ready = false;
  #failures = 0;
  /** Whether the host has accepted what this client asks for; and when it last did, or `play` was called. */
  #served = false;
  #servedAt = 0;
  /** What the host has said before it closes the connection. @type {{why: string, again?: number} | null} */
  #bye = null;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {Match | null} */
  #match = null;
  /** @type {Table | null} */
  #table = null;
  #lastId = 0;
  /** The ids of the question and the action that are not answered; 0: there is none. */
  #asked = 0;
  #acted = 0;
  /** What was asked about, and what was done last. */
  #begun = "";
  #action = "";
  /** Whether something has happened since the last answer. */
  #news = false;
  #choosing = false;
  /** Whether this client may have asked for a list, such as that of all tables. */
  #listens = false;
  /** What was refused since something has happened, the last one last. @type {string[]} */
  #refused = [];

  /**
   * @param {string} name
   * @param {Options} [options]
   */
  constructor(name, options = {}) {
    this.#name = name;
    this.key = options.key;
    const { host = "127.0.0.1", port = 8889, hear = () => {}, log = (words) => console.error(`${name}: ${words}`) } = options;
    this.#options = { ...options, host, port, hear, log };
  }

  /**
   * Play one match. If the host has kept a seat for this player, that match is played on.
   * @param {string} game
   * @param {Choose} choose is called for each decision
   * @param {Opponents} [opponents] by default whoever comes
   * @returns {Promise<Result>} rejected with a `HostError`, or with what `choose` has thrown
   */
  play(game, choose, opponents = {}) {
    if (this.#match) return Promise.reject(new HostError("this client plays a match already; wait for its result"));
    return new Promise((resolve, reject) => {
      this.#match = { sought: { ...opponents, game }, choose, resolve, reject };
      this.#servedAt = Date.now();
      if (this.#ready) this.#seek();
      else if (!this.#socket) this.#connect();
    });
  }

  /**
   * Say something else to the host, such as `{do: "say", phrase: "hello"}` or `{do: "leave"}`.
   * @param {Record<string, any>} message
   */
  say(message) {
    if (!this.#ready) throw new HostError("there is no connection, or the log-in is not answered yet");
    this.#listens = true;
    this.#send(message);
  }

  /** Close the connection. The seat of a match that is being played is kept for some time, and its `play` is rejected. */
  close() {
    this.#fail(new HostError("the client was closed"));
  }

  // -- the connection

  #connect() {
    const { host, port } = this.#options;
    const socket = net.connect({ host, port, noDelay: true, timeout: CONNECT_WITHIN });
    let [unread, pinged, open, why] = ["", false, false, "the host has closed the connection"];
    this.#socket = socket;
    this.#bye = null;
    socket.setEncoding("utf8");
    socket.on("connect", () => {
      open = true;
      socket.setTimeout(PING_AFTER);
      this.#logIn();
    });
    socket.on("data", (data) => {
      pinged = false;
      socket.setTimeout(PING_AFTER);
      const lines = (unread + data).split("\n");
      unread = lines.pop() ?? "";
      if (unread.length > this.#longest) lines.push(unread);
      for (const line of lines) if (socket === this.#socket) this.#receive(line);
    });
    socket.on("timeout", () => {
      if (!open || pinged) return void socket.destroy(new Error(open ? "the host does not answer" : "no connection in time"));
      pinged = true;
      socket.setTimeout(PONG_WITHIN);
      this.#send({ do: "ping" });
    });
    socket.on("error", (error) => (why = error.message || String(error)));
    socket.on("close", () => socket === this.#socket && this.#lost(why));
  }

  #logIn() {
    const { password } = this.#options;
    if (this.key) this.#send({ do: "enter", name: this.#name, key: this.key });
    else if (password) this.#send({ do: "log-in", name: this.#name, password, keep: true });
    else this.#send({ do: "enter", name: this.#name });
  }

  /** @param {string} why */
  #lost(why) {
    const now = Date.now();
    if (this.#served) this.#servedAt = now;
    this.#socket = null;
    this.#ready = this.#served = false;
    this.#asked = this.#acted = 0;
    if (!this.#match) return; // the next `play` connects again
    if (this.#bye && this.#bye.again === undefined) return this.#fail(new HostError(this.#bye.why));
    why = this.#bye?.why ?? why;
    const left = this.#servedAt + PATIENCE - now;
    const { host, port, log } = this.#options;
    if (left <= 0) return this.#fail(new HostError(`nothing to play at ${host}:${port} for ${PATIENCE / 1000} s: ${why}`));
    // Spread, so that many clients do not come back all at once.
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures) * (0.7 + 0.6 * Math.random());
    const wait = Math.min(left, Math.max(pause, 1000 * (this.#bye?.again ?? 0)));
    this.#failures += 1;
    log(`${why}; trying again in ${(wait / 1000).toFixed(1)} s`);
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  get #longest() {
    return this.#listens ? LONGEST_LIST : this.#table ? LONGEST_MOVES : LONGEST_HEARD;
  }

  /** @param {Error} error */
  #fail(error) {
    clearTimeout(this.#timer);
    const [match, socket] = [this.#match, this.#socket];
    this.#match = this.#table = this.#socket = null;
    this.#ready = this.#served = false;
    this.#asked = this.#acted = 0;
    socket?.destroySoon();
    match?.reject(error);
  }

  /** @param {Record<string, any>} message */
  #send(message) {
    const line = `${JSON.stringify(message)}\n`;
    const size = Buffer.byteLength(line);
    if (size > LONGEST_SAID) throw new HostError(`a message of ${size} bytes; the host takes ${LONGEST_SAID} at most`);
    this.#socket?.write(line);
  }

  // -- what the host says

  /** @param {string} line */
  #receive(line) {
    const { host, port } = this.#options;
    let message;
    try {
      if (line.length > this.#longest) throw new SyntaxError("the line is too long");
      message = JSON.parse(line);
      if (typeof message?.is !== "string") throw new SyntaxError('the key "is" is missing');
    } catch {
      return this.#fail(new HostError(`${host}:${port} does not speak the open wire, whose port is 8889 by default`));
    }
    const shape = Object.hasOwn(SHAPES, message.is) ? SHAPES[message.is] : {};
    const wrong = faultIn(message, { n: maybe(count), ...shape }) || this.#seatFault(message);
    if (wrong) return this.#fail(new HostError(`${host}:${port} sent "${message.is}" with a wrong "${wrong}"`));
    try {
      this.#options.hear(message);
      this.#hear(message);
    } catch (error) {
      this.#fail(/** @type {Error} */ (error));
    }
  }

  /**
   * The key of a seat that the table does not have; empty: there is none.
   * @param {Record<string, any>} message
   */
  #seatFault({ is, table, seat, names, winners }) {
    if (is === "seated") return seat < names.length ? "" : "seat";
    if (!this.#table || table !== this.#table.table) return "";
    const seats = this.#table.names.length;
    if ((is === "replaced" || is === "back") && seat >= seats) return "seat";
    return is === "over" && winners.some((/** @type {number} */ one) => one >= seats) ? "winners" : "";
  }

  /** @param {Record<string, any>} message */
  #hear(message) {
    if (message.is === "entered") this.#entered(message);
    else if (message.is === "sorry") this.#sorry(message.why);
    else if (message.is === "stopped" && message.why && this.#match) this.#comeAgain(message.why, 0);
    else if (message.is === "bye") this.#bye = { why: message.why, again: message.again };
    else if (message.is === "seeking") this.#accepted();
    else if (message.is === "seated") {
      this.#accepted();
      const { game, table, seat, names, n } = message;
      this.#table = { game, table, seat, names, n };
    } else if (this.#table && message.table === this.#table.table) this.#hearAtTable(this.#table, message);
    else if (message.is === "refused" && this.#table) this.#hearRefused(message);
  }

  /** @param {Record<string, any>} message */
  #entered({ key, table }) {
    this.#ready = true;
    this.key = key ?? this.key;
    if (table !== undefined) return; // "seated" and "back" follow
    if (this.#table) this.#end([], "lost", "the match has ended while the connection was lost");
    else if (this.#match) this.#seek();
  }

  /** @param {string} why */
  #sorry(why) {
    if (this.#ready && (!this.#match || this.#table)) return; // about something that was said with `say`
    if (/\bagain\b/.test(why)) this.#comeAgain(why, Number(/again in (\d+) s/.exec(why)?.[1] ?? 0));
    else if (!this.#ready && this.key) {
      this.key = undefined; // the host does not know it any more
      this.#logIn();
    } else this.#fail(new HostError(why));
  }

  #accepted() {
    this.#served = true;
    this.#failures = 0;
  }

  /**
   * Begin anew on another connection.
   * @param {string} why
   * @param {number} again the least pause, in seconds
   */
  #comeAgain(why, again) {
    this.#bye = { why, again };
    this.#socket?.destroy();
  }

  #seek() {
    const { sought } = /** @type {Match} */ (this.#match);
    const { table, code, game, ...more } = sought;
    this.#send(table === undefined ? { do: "seek", game, ...more } : { do: "join", table, code });
  }

  /**
   * @param {Table} table
   * @param {Record<string, any>} message
   */
  #hearAtTable(table, message) {
    if (message.is === "over") return this.#end(message.winners, message.cause, message.why);
    if (message.is === "suspended") return this.#end([], "suspended", "a fault of the host has stopped the match");
    if (message.n > table.n) table.n = message.n;
    if (message.is === "replaced") table.names[message.seat] = message.name;
    else if (message.is === "moves" && message.id === this.#asked) this.#decide(table, message);
    else if (message.is === "event" || (message.is === "back" && message.view !== undefined)) {
      this.#refused = [];
      this.#news = true;
      this.#ask();
    }
  }

  /**
   * @param {number[]} winners
   * @param {string} cause
   * @param {string} why
   */
  #end(winners, cause, why) {
    const [match, table] = [this.#match, this.#table];
    this.#match = this.#table = null;
    this.#asked = this.#acted = 0;
    if (!match || !table) return;
    const { game, seat, names } = table;
    match.resolve({ game, table: table.table, seat, names, winners, cause, why });
  }

  // -- decisions

  /** Ask what may be done. One question at a time, and none while `choose` is at work: both are followed by another look. */
  #ask(begun = "") {
    if (!this.#table || !this.#ready || this.#asked || this.#choosing) return;
    this.#news = false;
    this.#begun = begun;
    this.#asked = this.#lastId += 1;
    this.#send({ do: "moves", table: this.#table.table, id: this.#asked, view: true, ...(begun && { begun }) });
  }

  /**
   * Have an action chosen. The answer covers all that was told before it.
   * @param {Table} table
   * @param {Record<string, any>} answer
   */
  async #decide(table, { moves, view: position, why }) {
    const match = this.#match;
    this.#news = false;
    this.#asked = 0;
    if (!match || (!moves.length && !why)) return;
    const { game, seat, names, n } = table;
    const view = { game, table: table.table, seat, names: [...names], n, position, begun: this.#begun, why };
    const rest = moves.filter((/** @type {Move} */ move) => !this.#refused.includes(move.action));
    this.#choosing = true;
    try {
      const action = await match.choose(view, rest.length ? rest : moves);
      this.#choosing = false;
      const current = match === this.#match && table === this.#table && this.#ready;
      if (current && !this.#news) this.#act(action, moves);
      else if (this.#news) this.#ask(); // something has happened meanwhile
    } catch (error) {
      this.#choosing = false;
      if (match === this.#match) this.#fail(/** @type {Error} */ (error));
    }
  }

  /**
   * @param {string} action
   * @param {Move[]} moves
   */
  #act(action, moves) {
    if (typeof action !== "string") {
      throw new TypeError(`choose gave ${action === null ? "null" : typeof action}; expected an action as a string`);
    }
    if (moves.find((move) => move.action === action)?.more) return this.#ask(action);
    this.#action = action;
    this.#acted = this.#lastId += 1;
    this.#send({ do: "act", table: this.#table?.table, action, id: this.#acted });
  }

  /**
   * An action, or the beginning of one, was refused: `choose` is asked for another one.
   * @param {Record<string, any>} message
   */
  #hearRefused({ id, why }) {
    if (!id || (id !== this.#asked && id !== this.#acted)) return;
    const action = id === this.#asked ? this.#begun : this.#action;
    this.#asked = this.#acted = 0;
    this.#refused.push(action);
    const words = `${JSON.stringify(action)}: ${why}`;
    if (this.#refused.length >= MOST_REFUSALS) {
      throw new HostError(`the host has refused ${MOST_REFUSALS} actions in a row; the last one is ${words}`);
    }
    this.#options.log(`the host has refused ${words}`);
    this.#ask();
  }
}
