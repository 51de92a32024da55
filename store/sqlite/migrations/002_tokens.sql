-- Rights to use the service. A row is removed when its token is revoked; the secret itself is nowhere.

CREATE TABLE tokens (
    id      TEXT    PRIMARY KEY,
    hash    TEXT    NOT NULL UNIQUE, -- SHA-256 of the secret, hexadecimal
    name    TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    created INTEGER NOT NULL         -- nanoseconds since 1970
) STRICT;
