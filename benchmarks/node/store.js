// Moves in SQLite, as Node has it. `turn`: all moves of a turn of the event loop are one transaction. `move`: each is one.
import { DatabaseSync } from "node:sqlite";

export class Store {
  waiting = [];

  constructor(path, transaction) {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec("CREATE TABLE moves(id INTEGER PRIMARY KEY, pair TEXT NOT NULL, move TEXT NOT NULL) STRICT");
    this.database = database;
    this.each = transaction === "move";
    this.insert = database.prepare("INSERT INTO moves(pair, move) VALUES (?, ?)");
    this.begin = database.prepare("BEGIN");
    this.commit = database.prepare("COMMIT");
  }

  /** How SQLite is set, as it says itself. */
  settings() {
    const read = (name) => this.database.prepare(`PRAGMA ${name}`).get()[name];
    return `${read("journal_mode")} ${read("synchronous")}`;
  }

  /** Store a move; `tell` is called when it is on disk. */
  append(pair, move, tell) {
    if (this.each) {
      this.insert.run(pair, move);
      tell();
    } else if (this.waiting.push([pair, move, tell]) === 1) {
      setImmediate(() => this.write());
    }
  }

  write() {
    const moves = this.waiting;
    this.waiting = [];
    this.begin.run();
    for (const [pair, move] of moves) this.insert.run(pair, move);
    this.commit.run();
    for (const [, , tell] of moves) tell();
  }
}
