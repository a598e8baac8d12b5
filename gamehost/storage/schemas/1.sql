-- One row for everything that was accepted. Rows are added and never changed or deleted.
CREATE TABLE event(
  seq INTEGER PRIMARY KEY,     -- counted from 1 without a gap, over all tables
  game INTEGER NOT NULL,       -- the table's number
  n INTEGER NOT NULL,          -- counted from 0 within the table
  at_ms INTEGER NOT NULL,      -- on the table's clock; row 0: when it was opened, milliseconds since 1970
  kind INTEGER NOT NULL,       -- 0: opened; else gamehost.journal.records.Kind
  seat INTEGER,
  body BLOB NOT NULL,          -- gamehost.storage.row_codec says how it is written
  h BLOB NOT NULL,             -- the first 8 bytes of SHA-256(h of the table's row before || this row)
  UNIQUE(game, n)              -- the fence against a second writer
) STRICT;

-- The tables that are not finished.
CREATE TABLE live(
  game INTEGER PRIMARY KEY
) STRICT;
