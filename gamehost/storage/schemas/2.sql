-- Names with passwords. A password is not in here: only what scrypt makes of it.
CREATE TABLE account(
  key TEXT PRIMARY KEY,        -- the name as names are compared
  name TEXT NOT NULL,          -- as it was first written
  n INTEGER NOT NULL,          -- scrypt's parameters for this digest
  r INTEGER NOT NULL,
  p INTEGER NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
