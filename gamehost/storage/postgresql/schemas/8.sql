-- Finished tables that were removed a while ago: moved to an archive, or without an action. A host that has told their end a moment
-- before does not take them for lost.
CREATE TABLE removed(
  game bigint PRIMARY KEY,     -- the table's number
  at timestamptz NOT NULL DEFAULT now()
);
