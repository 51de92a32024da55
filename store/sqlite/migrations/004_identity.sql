-- What tells a study from another that has, or had, the same name.
CREATE TABLE identities (
    study INTEGER PRIMARY KEY REFERENCES studies (id),
    id    TEXT    NOT NULL UNIQUE
) STRICT;

INSERT INTO identities (study, id) SELECT id, lower(hex(randomblob(16))) FROM studies;

-- Names that were taken from a study, by deleting or renaming it, or whose study was restored from a backup.
CREATE TABLE former (
    name TEXT    NOT NULL,
    id   TEXT    NOT NULL, -- the study's identity
    at   INTEGER NOT NULL, -- nanoseconds since 1970
    PRIMARY KEY (name, id)
) STRICT, WITHOUT ROWID;
