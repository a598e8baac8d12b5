-- A host has found that rows are missing of which players were told: an older state was put back, or a standby took over that was
-- behind. `n` and `h` are the newest row that was told. Nobody plays such a table on until the owner of the host has decided.
ALTER TABLE live ADD COLUMN lost boolean NOT NULL DEFAULT false;
