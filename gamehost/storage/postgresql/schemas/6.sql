-- What members of a cluster show each other of their lobbies: who is there, and who waits. It says nothing that must not be lost.
CREATE TABLE page(
  home bigint PRIMARY KEY,     -- the life that shows it
  n bigint NOT NULL DEFAULT 1, -- how often it was changed
  page text NOT NULL
);
