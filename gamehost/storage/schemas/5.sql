-- For how many seconds hosts have run on this store. It is written now and then, and may be late by a minute.
CREATE TABLE uptime(
  seconds INTEGER NOT NULL
) STRICT;

INSERT INTO uptime VALUES (0);

-- Since when the last player of a table is gone, as a number of `uptime`: the time for which no host runs does not count.
-- NULL: a player is there, or was there when the host ended.
ALTER TABLE live ADD COLUMN since INTEGER;
