-- Who may not come in.
CREATE TABLE ban(
  key TEXT PRIMARY KEY,        -- what the ban counts for, as gamehost.accounts.bans.Ban has it
  target TEXT NOT NULL,        -- the name as it was written, or the network
  since INTEGER NOT NULL,      -- in seconds since 1970
  until INTEGER                -- in seconds since 1970; NULL: for ever
) STRICT, WITHOUT ROWID;
