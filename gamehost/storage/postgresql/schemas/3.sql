-- In which lists a finished match is, so that each list is one range of this table. A private match is in none.
CREATE TABLE listed(
  name text COLLATE "C" NOT NULL, -- a player's name, as names are compared; empty: the list is of all players
  rules text COLLATE "C" NOT NULL, -- the name of the game; empty: the list is of all games
  game bigint NOT NULL,        -- the table's number
  PRIMARY KEY(name, rules, game)
);
