-- What was committed last: one row a commit, not one a move. A commit is removed when the rows of all its tables are in `event`,
-- where a table's moves are together: several of them are one row. What opens or ends a table is in `event` at once.
CREATE TABLE recent(
  seq INTEGER PRIMARY KEY,     -- counts everything that was accepted; of the last thing in this commit
  body BLOB NOT NULL,          -- gamehost.storage.groups says how it is written
  h BLOB NOT NULL              -- the first 8 bytes of SHA-256(seq || body). The body begins with `h` of the commit before
) STRICT;
