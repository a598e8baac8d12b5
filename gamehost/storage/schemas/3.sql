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

-- As before, without UNIQUE(game, n), which was such an index. The fence against a second writer is `seq`.
ALTER TABLE event RENAME TO event_before;

CREATE TABLE event(
  seq INTEGER PRIMARY KEY,     -- counted from 1 without a gap, over all tables
  game INTEGER NOT NULL,       -- the table's number
  n INTEGER NOT NULL,          -- counted from 0 within the table
  at_ms INTEGER NOT NULL,      -- on the table's clock; row 0: when it was opened, milliseconds since 1970
  kind INTEGER NOT NULL,       -- 0: opened; else gamehost.journal.records.Kind
  seat INTEGER,
  body BLOB NOT NULL,          -- gamehost.storage.row_codec says how it is written
  h BLOB NOT NULL              -- the first 8 bytes of SHA-256(h of the table's row before || this row)
) STRICT;

INSERT INTO event SELECT * FROM event_before ORDER BY seq;

DROP TABLE event_before;

INSERT INTO placed SELECT game, n, seq FROM event ORDER BY game, n;

INSERT INTO placed_to SELECT coalesce(max(seq), 0) FROM event;
