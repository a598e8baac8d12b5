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
