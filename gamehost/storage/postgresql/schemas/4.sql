-- So that a start finds out whether somebody has changed what is unfinished while no host ran.

-- A row of the table that was its newest one when this was noted: a second or some before now, and at the end of a life.
ALTER TABLE live ADD COLUMN n integer, ADD COLUMN h bytea;

-- How many rows of `live` a life owns, and the sum of their numbers. It is changed with them, in the same transaction.
ALTER TABLE member ADD COLUMN tables bigint NOT NULL DEFAULT 0, ADD COLUMN numbers numeric NOT NULL DEFAULT 0;
UPDATE member SET (tables, numbers) = (SELECT count(*), coalesce(sum(game), 0) FROM live WHERE owner = epoch);
