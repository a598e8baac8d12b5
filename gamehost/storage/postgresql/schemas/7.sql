-- Members of a cluster ask for names without a lock of the whole cluster, and wake each other.
--
-- Whoever changes names for a member shares the lock of that member's names until the commit, and has found it alive. Whoever
-- takes a member over has this lock alone. 1734438246 is the first number of these locks, and the member's number the second.

CREATE INDEX seeking_queue ON seeking(game, pool);

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
RETURNS TABLE(what text, key text, home bigint, name text, n integer, r integer, p integer, salt bytea, hash bytea)
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
      END, account.name, n, r, p, salt, hash
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
    RETURN QUERY SELECT 'transfer', key, session.home, NULL, NULL::integer, NULL::integer, NULL::integer, NULL::bytea, NULL::bytea
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
  RETURN QUERY SELECT 'changed', NULL, changed, NULL, NULL::integer, NULL::integer, NULL::integer, NULL::bytea, NULL::bytea;
END $$;

-- Members that listen look at once at what was changed: the payload is the name of the table.
CREATE FUNCTION wake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gamehost', TG_TABLE_NAME);
  RETURN NULL;
END $$;

CREATE TRIGGER wake AFTER INSERT ON change FOR EACH STATEMENT EXECUTE FUNCTION wake();
CREATE TRIGGER wake AFTER INSERT OR UPDATE OF ended ON member FOR EACH STATEMENT EXECUTE FUNCTION wake();
