-- What accounts have shown in the last days: their password, and addresses that they logged in from. Keyed digests only; the
-- key is not in this file.
CREATE TABLE proof(
  key TEXT NOT NULL,           -- the account's
  digest BLOB NOT NULL,        -- HMAC-SHA256
  of_address INTEGER NOT NULL, -- 1: of an address; 0: of the password
  day INTEGER NOT NULL,        -- when it was last shown, in days since 1970
  PRIMARY KEY(key, digest)
) STRICT, WITHOUT ROWID;
