-- A revoked token is remembered: a store that has had tokens is not open to everybody again.
CREATE TABLE revoked (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL -- nanoseconds since 1970
) STRICT;

-- Whose studies a token is for; empty: those of everybody.
ALTER TABLE tokens ADD COLUMN "group" TEXT NOT NULL DEFAULT '';

-- One row, which is written to find out whether anything can be.
CREATE TABLE ready (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL -- nanoseconds since 1970
) STRICT;

-- What trials leave behind: their output and their artifacts, in parts. Not part of the log.
CREATE TABLE files (
    study INTEGER NOT NULL REFERENCES studies (id),
    trial INTEGER NOT NULL,
    name  TEXT    NOT NULL,
    start INTEGER NOT NULL, -- where the part begins, in bytes
    body  BLOB    NOT NULL,
    PRIMARY KEY (study, trial, name, start)
) STRICT;
