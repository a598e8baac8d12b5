-- How members speak with each other: gamehost.storage.names.INTERFACE of the release that runs. All living members have the same.
ALTER TABLE member ADD COLUMN interface integer NOT NULL DEFAULT 0;
