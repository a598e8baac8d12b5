-- Of a finished match whose end was not told to all players: which seats have been told. Bit 0 is the first seat.
ALTER TABLE live ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
