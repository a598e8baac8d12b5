-- One row for everything that was accepted. Rows are added and never changed.
CREATE TABLE event(
  game bigint NOT NULL,        -- the table's number
  n integer NOT NULL,          -- counted from 0 within the table
  epoch bigint NOT NULL,       -- the life of a host that wrote the row
  at_ms bigint NOT NULL,       -- on the table's clock; row 0: when it was opened, milliseconds since 1970
  kind smallint NOT NULL,      -- 0: opened; else gamehost.journal.records.EntryKind
  seat smallint,
  body bytea NOT NULL,         -- gamehost.storage.row_codec says how it is written
  h bytea NOT NULL,            -- the first 8 bytes of SHA-256(h of the table's row before || this row)
  PRIMARY KEY(game, n)         -- the fence against a second writer, behind the lock
);

-- The lives of hosts. A life holds the advisory lock of its number.
CREATE TABLE member(
  epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,          -- of the machine, for people
  began timestamptz NOT NULL DEFAULT now(),
  noted bigint NOT NULL DEFAULT 0, -- how many of its groups had notes beside rows
  ended timestamptz            -- NULL: it lives, or nobody has noticed its end
);

-- The tables that are not finished, and finished ones whose end was not told to all players.
CREATE TABLE live(
  game bigint PRIMARY KEY,
  owner bigint NOT NULL,       -- the life that writes the table's rows
  since bigint,                -- since when the last player is gone, in seconds of `uptime`; NULL: a player is there
  told bigint NOT NULL DEFAULT 0 -- of a finished match: the seats that were told the end; bit 0 is the first seat
) WITH (fillfactor = 50);

-- Names with passwords. A password is not in here: only what scrypt makes of it.
CREATE TABLE account(
  key text PRIMARY KEY,        -- the name as names are compared
  name text NOT NULL,          -- as it was first written
  n integer NOT NULL,          -- scrypt's parameters for this digest
  r integer NOT NULL,
  p integer NOT NULL,
  salt bytea NOT NULL,
  hash bytea NOT NULL
);

-- What accounts have shown in the last days: their password, and addresses that they logged in from. Keyed digests only; the
-- key is not in the database.
CREATE TABLE proof(
  key text NOT NULL,           -- the account's
  digest bytea NOT NULL,       -- HMAC-SHA256
  of_address boolean NOT NULL, -- of an address; else of the password
  day integer NOT NULL,        -- when it was last shown, in days since 1970
  PRIMARY KEY(key, digest)
);

-- Who may not come in.
CREATE TABLE ban(
  key text PRIMARY KEY,        -- what the ban counts for, as gamehost.accounts.bans.Ban has it
  target text NOT NULL,        -- the name as it was written, or the network
  since bigint NOT NULL,       -- in seconds since 1970
  until bigint                 -- in seconds since 1970; NULL: for ever
);

-- One row: for how many seconds hosts have run on this store. It is written now and then, and may be late by a minute.
CREATE TABLE uptime(
  seconds bigint NOT NULL
);

INSERT INTO uptime VALUES (0);
