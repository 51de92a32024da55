-- A store that has had tokens is not open to everybody again, even if all were revoked.

-- +goose Up
CREATE TABLE revoked (
    id text COLLATE "C" PRIMARY KEY,
    at bigint NOT NULL -- nanoseconds since 1970
);

-- Whose studies a token is for; empty: those of everybody.
ALTER TABLE tokens ADD COLUMN "group" text NOT NULL DEFAULT '';

-- One row, which is written to find out whether anything can be.
CREATE TABLE ready (
    id integer PRIMARY KEY CHECK (id = 1),
    at bigint  NOT NULL -- nanoseconds since 1970
);

-- What trials leave behind: their output and their artifacts, in parts. Not part of the log.
CREATE TABLE files (
    study bigint NOT NULL REFERENCES studies (id),
    trial bigint NOT NULL,
    name  text   COLLATE "C" NOT NULL,
    start bigint NOT NULL, -- where the part begins, in bytes
    body  bytea  NOT NULL,
    PRIMARY KEY (study, trial, name, start)
);
