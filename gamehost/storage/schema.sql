-- One row for everything that was accepted, or for several entries of a table: a run. Where each table's rows are is in `placed`.
CREATE TABLE event(
  seq INTEGER PRIMARY KEY,     -- counted from 1, over all tables: the fence against a second writer
  game INTEGER NOT NULL,       -- the table's number
  n INTEGER NOT NULL,          -- counted from 0 within the table; of a run, that of its first entry
  at_ms INTEGER NOT NULL,      -- on the table's clock; row 0: when it was opened, milliseconds since 1970; a run: its entries
  kind INTEGER NOT NULL,       -- 0: opened; 32: a run; else gamehost.journal.records.EntryKind
  seat INTEGER,
  body BLOB NOT NULL,          -- gamehost.storage.row_codec says how it is written
  h BLOB NOT NULL              -- the first 8 bytes of SHA-256(h of the table's row before || this row)
) STRICT;

-- What was committed last: one row a commit, not one a move. A commit is removed when the rows of all its tables are in `event`,
-- where a table's moves are together: several of them are one row. What opens or ends a table is in `event` at once.
CREATE TABLE recent(
  seq INTEGER PRIMARY KEY,     -- counts everything that was accepted; of the last thing in this commit
  body BLOB NOT NULL,          -- gamehost.storage.database says how it is written
  h BLOB NOT NULL              -- the first 8 bytes of SHA-256(seq || body). The body begins with `h` of the commit before
) STRICT;

-- Where each table's rows are. It is brought up in large steps, for a step touches a page for every table that was played
-- at: row by row that was half of what a row cost. What is newer than the last step is found by reading `event` from there.
CREATE TABLE placed(
  game INTEGER NOT NULL,
  n INTEGER NOT NULL,
  seq INTEGER NOT NULL,        -- of the row in `event`
  PRIMARY KEY(game, n)
) STRICT, WITHOUT ROWID;

-- One row: the last `seq` that is in `placed`.
CREATE TABLE placed_to(
  seq INTEGER NOT NULL
) STRICT;

INSERT INTO placed_to VALUES (0);

-- One row: what a start has found whole, so that the next one does not read it again.
CREATE TABLE checked(
  seq INTEGER NOT NULL,        -- the last row in `event` that was read
  rows INTEGER NOT NULL,       -- how many rows there are up to there
  pruned INTEGER NOT NULL      -- how many rows were removed or moved to archives, ever
) STRICT;

INSERT INTO checked VALUES (0, 0, 0);

-- The tables that are not finished, and finished ones whose end was not told to all players.
CREATE TABLE live(
  game INTEGER PRIMARY KEY,
  since INTEGER,               -- since when the last player is gone, in seconds of `uptime`; NULL: a player is there
  due INTEGER,                 -- of a slow match with nobody there: its deadline, milliseconds since 1970; NULL: look at it
  told INTEGER NOT NULL DEFAULT 0 -- of a finished match: the seats that were told the end; bit 0 is the first seat
) STRICT;

-- The tables that wait for their players, and outlive the connections of these.
CREATE TABLE opened(
  game INTEGER PRIMARY KEY,    -- the table's number
  body BLOB NOT NULL           -- gamehost.journal.records.OpenedTable in msgpack
) STRICT;

-- What players find in the lists of their own matches, besides what they play or have opened at this moment: matches that have
-- ended while they were away, and matches that go on for days. Private ones, too.
CREATE TABLE own(
  owner TEXT NOT NULL,         -- the key of an account; of a guest, the key of the name, ':' and the digest of the guest's key
  game INTEGER NOT NULL,       -- the table's number
  state TEXT NOT NULL,         -- gamehost.journal.records.OwnState
  ended INTEGER,               -- when the match ended, in milliseconds since 1970; NULL: it goes on
  body BLOB NOT NULL,          -- gamehost.journal.records.OwnedMatch in msgpack
  PRIMARY KEY(owner, game)
) STRICT, WITHOUT ROWID;
CREATE INDEX own_game ON own(game);
CREATE INDEX own_ended ON own(ended) WHERE ended IS NOT NULL;

-- Until when no deadline of a slow match counts while it is the turn of a player, or none of one match.
CREATE TABLE leave(
  key TEXT PRIMARY KEY,        -- as `owner` of `own`; of one match, '#' and the table's number
  until INTEGER NOT NULL,      -- in milliseconds since 1970
  year INTEGER NOT NULL,       -- of one match: 0
  days INTEGER NOT NULL        -- that the player has taken in this year
) STRICT, WITHOUT ROWID;

-- Texts that accounts keep: of a game, and of a match until it is removed from `live`.
CREATE TABLE kept(
  key TEXT NOT NULL,           -- the account's
  place TEXT NOT NULL,         -- the name of a game; of one match, '#' and the table's number
  body TEXT NOT NULL,          -- never empty
  PRIMARY KEY(key, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_place ON kept(place);

CREATE TRIGGER kept_ends AFTER DELETE ON live BEGIN
  DELETE FROM kept WHERE place = '#' || OLD.game;
END;

-- The finished matches, so that one is found without its other rows. Those that were put away unfinished are not in here.
CREATE TABLE finished(
  game INTEGER PRIMARY KEY,    -- the table's number
  first INTEGER NOT NULL,      -- `seq` of its first row in `event`
  last INTEGER NOT NULL        -- and of its last one
) STRICT;

-- In which lists a finished match is, so that each list is one range of this table. A private match is in none.
CREATE TABLE listed(
  name TEXT NOT NULL,          -- a player's name, as names are compared; empty: the list is of all players
  rules TEXT NOT NULL,         -- the name of the game; empty: the list is of all games
  game INTEGER NOT NULL,       -- the table's number
  PRIMARY KEY(name, rules, game)
) STRICT, WITHOUT ROWID;

-- Names with passwords. A password is not in here: only what scrypt makes of it.
CREATE TABLE account(
  key TEXT PRIMARY KEY,        -- the name as names are compared
  name TEXT NOT NULL,          -- as it was first written
  shown TEXT NOT NULL,         -- the display name; empty: it is the name
  n INTEGER NOT NULL,          -- scrypt's parameters for this digest
  r INTEGER NOT NULL,
  p INTEGER NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;

-- What accounts have shown in the last days: their password, and addresses that they logged in from. Keyed digests only; the
-- key is not in this file.
CREATE TABLE proof(
  key TEXT NOT NULL,           -- the account's
  digest BLOB NOT NULL,        -- HMAC-SHA256
  of_address INTEGER NOT NULL, -- 1: of an address; 0: of the password
  day INTEGER NOT NULL,        -- when it was last shown, in days since 1970
  PRIMARY KEY(key, digest)
) STRICT, WITHOUT ROWID;

-- The devices on which accounts are logged in without their passwords. A key that logs in is not in here: only its digest.
CREATE TABLE remembered(
  digest BLOB PRIMARY KEY,     -- of the key, and of the account's digest
  key TEXT NOT NULL,           -- the account's
  device TEXT NOT NULL,        -- how the device is named in lists
  made INTEGER NOT NULL,       -- in days since 1970
  seen INTEGER NOT NULL        -- when it was last used, in days since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_key ON remembered(key);

-- Where a browser is told what happens while nobody looks. A row goes with its log-in.
CREATE TABLE subscription(
  digest BLOB PRIMARY KEY REFERENCES remembered(digest) ON DELETE CASCADE,
  key TEXT NOT NULL,           -- the account's
  endpoint TEXT NOT NULL,      -- at the push service of the browser; who has it can disturb the player
  p256dh BLOB NOT NULL,        -- the browser's public key
  auth BLOB NOT NULL,          -- the browser's secret
  words TEXT NOT NULL,         -- how much a push says: all or bare
  made INTEGER NOT NULL        -- in seconds since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX subscription_key ON subscription(key);

-- Where players get mails. They have confirmed the address.
CREATE TABLE mailbox(
  key TEXT PRIMARY KEY,        -- the account's
  address TEXT NOT NULL,
  mailed INTEGER NOT NULL      -- when the last mail was sent, in seconds since 1970
) STRICT, WITHOUT ROWID;

-- An account that is deleted keeps its row, without a name.
CREATE TRIGGER mailbox_moves AFTER UPDATE OF key ON account BEGIN
  DELETE FROM mailbox WHERE key = OLD.key AND NEW.name = '';
  UPDATE mailbox SET key = NEW.key WHERE key = OLD.key;
END;

-- Who may not come in.
CREATE TABLE ban(
  key TEXT PRIMARY KEY,        -- what the ban counts for, as gamehost.accounts.bans.Ban has it
  target TEXT NOT NULL,        -- the name as it was written, or the network
  since INTEGER NOT NULL,      -- in seconds since 1970
  until INTEGER                -- in seconds since 1970; NULL: for ever
) STRICT, WITHOUT ROWID;

-- One row: for how many seconds hosts have run on this store. It is written now and then, and may be late by a minute.
CREATE TABLE uptime(
  seconds INTEGER NOT NULL
) STRICT;

INSERT INTO uptime VALUES (0);

-- One row: the fingerprint of this schema. Its number is the `user_version` of the file.
CREATE TABLE gamehost_schema(
  fingerprint TEXT NOT NULL
) STRICT;
