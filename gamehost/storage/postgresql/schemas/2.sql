-- Several hosts on one store: the members of a cluster.

ALTER TABLE member
  ADD COLUMN address text,     -- where other members reach this one; NULL: a host alone
  ADD COLUMN token text,       -- what a connection to it must begin with
  ADD COLUMN heir bigint;      -- the life that has taken its tables and names; NULL: none has
CREATE INDEX member_without_heir ON member(epoch) WHERE heir IS NULL;

ALTER TABLE live ADD COLUMN inherited bigint; -- the life that owned it before; NULL: its owner has opened it
CREATE INDEX live_owner ON live(owner);

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

-- The numbers of tables, where several hosts open them. They are taken in blocks, under an advisory lock.
CREATE SEQUENCE table_number;

-- Which accounts and bans were changed while there was a cluster, so that the other members read them again.
CREATE TABLE change(
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order of the commits
  kind text NOT NULL,          -- the table: account or ban
  key text NOT NULL
);

-- Whoever changes accounts or bans waits for the commit of whoever does so now. So the order of `id` is that of the commits, and
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

CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON account FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER order_changes BEFORE INSERT OR UPDATE OR DELETE ON ban FOR EACH STATEMENT EXECUTE FUNCTION order_changes();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON ban FOR EACH ROW EXECUTE FUNCTION note_change();
