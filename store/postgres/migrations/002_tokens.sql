-- The rights to use the service. A secret itself is never here, only its SHA-256.

-- +goose Up
CREATE TABLE tokens (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order of their making
    id      text   COLLATE "C" NOT NULL UNIQUE,
    name    text   NOT NULL,
    role    text   NOT NULL,
    hash    text   COLLATE "C" NOT NULL UNIQUE,
    created text   NOT NULL, -- RFC 3339, UTC, to the nanosecond
    writer  bigint NOT NULL
);
