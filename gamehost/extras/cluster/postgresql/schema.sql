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

-- The lives of hosts, which may be the members of a cluster. A life holds the advisory lock of its number.
CREATE TABLE member(
  epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,          -- of the machine, for people
  began timestamptz NOT NULL DEFAULT now(),
  noted bigint NOT NULL DEFAULT 0, -- how many of its groups had notes beside rows
  ended timestamptz,           -- NULL: it lives, or nobody has noticed its end
  address text,                -- where other members reach this one; NULL: a host alone
  token text,                  -- what a connection to it must begin with
  heir bigint,                 -- the life that has taken its tables and names; NULL: none has
  -- How many rows of `live` it owns, and the sum of their numbers. They are changed with those, in the same transaction.
  tables bigint NOT NULL DEFAULT 0,
  numbers numeric NOT NULL DEFAULT 0,
  -- How it speaks with other members: gamehost.storage.names.INTERFACE of its release. All living members have the same.
  interface integer NOT NULL DEFAULT 0
);
CREATE INDEX member_without_heir ON member(epoch) WHERE heir IS NULL;

-- The tables that are not finished, and finished ones whose end was not told to all players.
CREATE TABLE live(
  game bigint PRIMARY KEY,
  owner bigint NOT NULL,       -- the life that writes the table's rows
  since bigint,                -- since when the last player is gone, in seconds of `uptime`; NULL: a player is there
  due bigint,                  -- of a slow match with nobody there: its deadline, milliseconds since 1970; NULL: look at it
  told bigint NOT NULL DEFAULT 0, -- of a finished match: the seats that were told the end; bit 0 is the first seat
  inherited bigint,            -- the life that owned it before; NULL: its owner has opened it
  -- A row of the table that was its newest one when this was noted: a second or some before now, and at the end of a life. So a
  -- start finds out whether somebody has changed what is unfinished while no host ran.
  n integer,
  h bytea,
  -- A host has found that rows are missing of which players were told: an older state was put back, or a standby took over that
  -- was behind. `n` and `h` are the newest row that was told. Nobody plays such a table on until the owner of the host has decided.
  lost boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE INDEX live_owner ON live(owner);

-- The tables that wait for their players, and outlive the connections of these.
CREATE TABLE opened(
  game bigint PRIMARY KEY,     -- the table's number
  owner bigint NOT NULL,       -- the life of the host where it waits
  body bytea NOT NULL          -- gamehost.journal.records.OpenedTable in msgpack
);

-- What players find in the lists of their own matches, besides what they play or have opened at this moment: matches that have
-- ended while they were away, and matches that go on for days. Private ones, too.
CREATE TABLE own(
  owner text COLLATE "C" NOT NULL, -- the key of an account; of a guest, the key of the name, ':' and the digest of the guest's key
  game bigint NOT NULL,        -- the table's number
  state text NOT NULL,         -- gamehost.journal.records.OwnState
  ended bigint,                -- when the match ended, in milliseconds since 1970; NULL: it goes on
  body bytea NOT NULL,         -- gamehost.journal.records.OwnedMatch in msgpack
  PRIMARY KEY(owner, game)
);
CREATE INDEX own_game ON own(game);
CREATE INDEX own_ended ON own(ended) WHERE ended IS NOT NULL;

-- Until when no deadline of a slow match counts while it is the turn of a player, or none of one match.
CREATE TABLE leave(
  key text COLLATE "C" PRIMARY KEY, -- as `owner` of `own`; of one match, '#' and the table's number
  until bigint NOT NULL,       -- in milliseconds since 1970
  year integer NOT NULL,       -- of one match: 0
  days integer NOT NULL        -- that the player has taken in this year
);

-- Texts that accounts keep: of a game, and of a match until it is removed from `live`.
CREATE TABLE kept(
  key text COLLATE "C" NOT NULL, -- the account's
  place text COLLATE "C" NOT NULL, -- the name of a game; of one match, '#' and the table's number
  body text NOT NULL,          -- never empty
  PRIMARY KEY(key, place)
);
CREATE INDEX kept_place ON kept(place);

CREATE FUNCTION end_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM kept WHERE place = '#' || OLD.game) THEN
    DELETE FROM kept WHERE place = '#' || OLD.game;
  END IF; -- most matches have none, and need not wait for the lock of those who change texts
  RETURN NULL;
END $$;

CREATE TRIGGER kept_ends AFTER DELETE ON live FOR EACH ROW EXECUTE FUNCTION end_kept();

-- Finished tables that were removed a while ago: moved to an archive, or without an action. A host that has told their end a moment
-- before does not take them for lost.
CREATE TABLE removed(
  game bigint PRIMARY KEY,     -- the table's number
  at timestamptz NOT NULL DEFAULT now()
);

-- In which lists a finished match is, so that each list is one range of this table. A private match is in none.
CREATE TABLE listed(
  name text COLLATE "C" NOT NULL, -- a player's name, as names are compared; empty: the list is of all players
  rules text COLLATE "C" NOT NULL, -- the name of the game; empty: the list is of all games
  game bigint NOT NULL,        -- the table's number
  PRIMARY KEY(name, rules, game)
);

-- Names with passwords. A password is not in here: only what scrypt makes of it.
CREATE TABLE account(
  key text PRIMARY KEY,        -- the name as names are compared
  name text NOT NULL,          -- as it was first written
  shown text NOT NULL,         -- the display name; empty: it is the name
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

-- The devices on which accounts are logged in without their passwords. A key that logs in is not in here: only its digest.
CREATE TABLE remembered(
  digest bytea PRIMARY KEY,    -- of the key, and of the account's digest
  key text NOT NULL,           -- the account's
  device text NOT NULL,        -- how the device is named in lists
  made integer NOT NULL,       -- in days since 1970
  seen integer NOT NULL        -- when it was last used, in days since 1970
);
CREATE INDEX remembered_key ON remembered(key);

-- Where a browser is told what happens while nobody looks. A row goes with its log-in.
CREATE TABLE subscription(
  digest bytea PRIMARY KEY REFERENCES remembered(digest) ON DELETE CASCADE,
  key text NOT NULL,           -- the account's
  endpoint text NOT NULL,      -- at the push service of the browser; who has it can disturb the player
  p256dh bytea NOT NULL,       -- the browser's public key
  auth bytea NOT NULL,         -- the browser's secret
  words text NOT NULL,         -- how much a push says: all or bare
  made bigint NOT NULL         -- in seconds since 1970
);
CREATE INDEX subscription_key ON subscription(key);

-- Where players get mails. They have confirmed the address.
CREATE TABLE mailbox(
  key text PRIMARY KEY REFERENCES account(key) ON DELETE CASCADE ON UPDATE CASCADE,
  address text NOT NULL,
  mailed bigint NOT NULL       -- when the last mail was sent, in seconds since 1970
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

-- One row: the number and the fingerprint of this schema. By this table, a store differs from the database of another program.
CREATE TABLE gamehost_schema(
  version integer NOT NULL,
  fingerprint text NOT NULL
);

-- Several hosts on one store: the members of a cluster.

-- The names that have a session, or a seat at an unfinished table. Each has one home.
CREATE TABLE session(
  key text PRIMARY KEY,        -- the name as names are compared
  home bigint NOT NULL,        -- the life of the member where the session and the table are
  settled boolean NOT NULL DEFAULT true -- false: inherited, and the heir does not know yet whether a seat is kept
);
CREATE INDEX session_home ON session(home);

-- Who waits for an opponent.
CREATE TABLE seeking(
  key text PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY, -- in the order in which they came
  game text NOT NULL,
  pool text NOT NULL,          -- of players who meet only each other
  home bigint NOT NULL,
  movable boolean NOT NULL     -- whether the connection can be given to another member
);
CREATE INDEX seeking_queue ON seeking(game, pool);

-- What members of a cluster show each other of their lobbies: who is there, and who waits. It says nothing that must not be lost.
CREATE TABLE page(
  home bigint PRIMARY KEY,     -- the life that shows it
  n bigint NOT NULL DEFAULT 1, -- how often it was changed
  page text NOT NULL
);

-- The numbers of tables, where several hosts open them. They are taken in blocks, under an advisory lock.
CREATE SEQUENCE table_number;

-- Which accounts, bans, leaves and matches in the lists of players were changed while there was a cluster, so that the other
-- members read them again.
CREATE TABLE change(
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order of the commits
  kind text NOT NULL,          -- the table: account, ban, leave or own
  key text NOT NULL            -- of own the table's number
);

-- Whoever changes them waits for the commit of whoever does so now. So the order of `id` is that of the commits, and
-- a reader that goes on from the highest `id` misses nothing. The first number is that of all advisory locks of a host.
CREATE FUNCTION order_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1734438245, -3);
  RETURN NULL;
END $$;

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM member WHERE heir IS NULL AND ended IS NULL AND address IS NOT NULL) THEN
    RETURN NULL; -- nobody would read it
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO change(kind, key) VALUES (TG_TABLE_NAME, OLD.key);
  END IF;
  IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND NEW.key <> OLD.key THEN
    INSERT INTO change(kind, key) VALUES (TG_TABLE_NAME, NEW.key);
  END IF;
  -- All members have read those long ago.
  DELETE FROM change WHERE id <= (SELECT max(id) FROM change) - 100000;
  RETURN NULL;
END $$;

CREATE FUNCTION note_own() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM member WHERE heir IS NULL AND ended IS NULL AND address IS NOT NULL) THEN
    INSERT INTO change(kind, key) VALUES ('own', coalesce(NEW.game, OLD.game)::text);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON own FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER note_own AFTER INSERT OR UPDATE OR DELETE ON own FOR EACH ROW EXECUTE FUNCTION note_own();
CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON leave FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON leave FOR EACH ROW EXECUTE FUNCTION note_change();
-- A new name of an account and a text of its player, at two members, would wait for each other without this lock.
CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON kept FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON account FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON ban FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON ban FOR EACH ROW EXECUTE FUNCTION note_change();

-- Members of a cluster ask for names without a lock of the whole cluster, and wake each other.
--
-- Whoever changes names for a member shares the lock of that member's names until the commit, and has found it alive. Whoever
-- takes a member over has this lock alone. 1734438246 is the first number of these locks, and the member's number the second.

CREATE FUNCTION may_change_names(me bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1734438246, me::integer);
  RETURN EXISTS (SELECT 1 FROM member WHERE epoch = me AND ended IS NULL);
END $$;

-- The member where somebody waits in a queue, while nobody waits here. Who cannot be moved comes first, then who came first.
CREATE FUNCTION opponents_elsewhere(me bigint, gone bigint[], wanted_game text, wanted_pool text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT nullif(home, me) FROM seeking JOIN member ON epoch = home
  WHERE game = wanted_game AND pool = wanted_pool AND ended IS NULL AND home <> ALL(gone)
  ORDER BY home = me DESC, movable, id LIMIT 1
$$;

-- Carries out a group of requests of one member, which has each name once at most in each list: claims, transfers, those who wait
-- no longer, releases, and those who wait, in this order. `gone`: members that are dead, although their end is not noted yet.
--
-- All members insert names in one order, and wait for nothing else while they hold a lock. So nobody waits for who waits for it.
--
-- The first row tells in `home` how many offers were changed; no row: the member was taken over, and nothing is done. The others
-- are the results. `home` is that of a claim, with the account of the name, or NULL: ask again later. That of a transfer is where
-- the name is now.
CREATE FUNCTION change_names(me bigint, gone bigint[], asked jsonb)
RETURNS TABLE(what text, key text, home bigint, name text, shown text, n integer, r integer, p integer, salt bytea, hash bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  targets bigint[];
  touched bigint;
  changed bigint := 0;
BEGIN
  IF NOT may_change_names(me) THEN RETURN; END IF;
  IF asked->'claim' IS NOT NULL OR asked->'transfer' IS NOT NULL THEN
    INSERT INTO session(key, home)
      SELECT key, me FROM (
        SELECT key FROM jsonb_to_recordset(asked->'claim') AS one(key text, game text, pool text)
        WHERE game IS NULL OR opponents_elsewhere(me, gone, game, pool) IS NULL
        UNION SELECT key FROM jsonb_to_recordset(asked->'transfer') AS one(key text)
      ) AS one ORDER BY key ON CONFLICT DO NOTHING;
  END IF;
  -- What another member has committed meanwhile is seen from here on.
  IF asked->'claim' IS NOT NULL THEN
    RETURN QUERY SELECT 'claim', one.key, CASE
        WHEN session.key IS NULL THEN opponents_elsewhere(me, gone, one.game, one.pool)
        WHEN settled AND ended IS NULL AND (session.home = me OR session.home <> ALL(gone)) THEN session.home
      END, account.name, account.shown, n, r, p, salt, hash
      FROM jsonb_to_recordset(asked->'claim') AS one(key text, game text, pool text)
      LEFT JOIN session ON session.key = one.key LEFT JOIN member ON epoch = session.home
      LEFT JOIN account ON account.key = one.key;
  END IF;
  IF asked->'transfer' IS NOT NULL THEN
    targets := ARRAY(
      SELECT home FROM (SELECT DISTINCT home FROM jsonb_to_recordset(asked->'transfer') AS one(home bigint)) AS one
      WHERE home <> me AND home <> ALL(gone) AND pg_try_advisory_xact_lock_shared(1734438246, home::integer));
    WITH moved AS (
      UPDATE session SET home = one.home FROM jsonb_to_recordset(asked->'transfer') AS one(key text, home bigint)
      JOIN member ON epoch = one.home AND ended IS NULL
      WHERE session.key = one.key AND session.home = me AND settled AND one.home = ANY(targets) RETURNING session.key
    )
    DELETE FROM seeking USING moved WHERE seeking.key = moved.key AND seeking.home = me;
    GET DIAGNOSTICS touched = ROW_COUNT;
    changed := changed + touched;
    RETURN QUERY SELECT 'transfer', key, session.home, NULL, NULL, NULL::integer, NULL::integer, NULL::integer, NULL::bytea, NULL::bytea
      FROM jsonb_to_recordset(asked->'transfer') AS one(key text) JOIN session USING (key);
  END IF;
  IF asked->'wait no longer' IS NOT NULL THEN
    DELETE FROM seeking USING jsonb_to_recordset(asked->'wait no longer') AS one(key text)
      WHERE seeking.key = one.key AND seeking.home = me;
    GET DIAGNOSTICS touched = ROW_COUNT;
    changed := changed + touched;
  END IF;
  IF asked->'release' IS NOT NULL THEN
    WITH free AS (
      DELETE FROM session USING jsonb_to_recordset(asked->'release') AS one(key text)
      WHERE session.key = one.key AND session.home = me AND settled RETURNING session.key
    )
    DELETE FROM seeking USING free WHERE seeking.key = free.key AND seeking.home = me;
    GET DIAGNOSTICS touched = ROW_COUNT;
    changed := changed + touched;
  END IF;
  IF asked->'wait' IS NOT NULL THEN
    -- Who comes to another queue is the newest there.
    DELETE FROM seeking USING jsonb_to_recordset(asked->'wait') AS one(key text, game text, pool text) JOIN session USING (key)
      WHERE seeking.key = one.key AND session.home = me AND settled
      AND (seeking.game, seeking.pool, seeking.home) <> (one.game, one.pool, me);
    INSERT INTO seeking(key, game, pool, home, movable)
      SELECT key, game, pool, me, movable FROM ROWS FROM (
        jsonb_to_recordset(asked->'wait') AS (key text, game text, pool text, movable boolean)
      ) WITH ORDINALITY AS one(key, game, pool, movable, number) JOIN session USING (key)
      WHERE session.home = me AND settled ORDER BY number
      ON CONFLICT (key) DO UPDATE SET movable = excluded.movable WHERE seeking.movable <> excluded.movable;
    GET DIAGNOSTICS touched = ROW_COUNT;
    changed := changed + touched;
  END IF;
  RETURN QUERY SELECT 'changed', NULL, changed, NULL, NULL, NULL::integer, NULL::integer, NULL::integer, NULL::bytea, NULL::bytea;
END $$;

-- Members that listen look at once at what was changed: the payload is the name of the table.
CREATE FUNCTION wake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gamehost', TG_TABLE_NAME);
  RETURN NULL;
END $$;

CREATE TRIGGER wake AFTER INSERT ON change FOR EACH STATEMENT EXECUTE FUNCTION wake();
CREATE TRIGGER wake AFTER INSERT OR UPDATE OF ended ON member FOR EACH STATEMENT EXECUTE FUNCTION wake();
