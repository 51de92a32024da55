-- What tells a study from another that has, or had, the same name.

-- +goose Up
CREATE TABLE identities (
    study bigint PRIMARY KEY REFERENCES studies (id),
    id    text   COLLATE "C" NOT NULL UNIQUE
);

INSERT INTO identities (study, id) SELECT id, md5(id || ' ' || name || ' ' || random() || ' ' || clock_timestamp()) FROM studies;

-- Names that were taken from a study, by deleting or renaming it, or whose study was restored from a backup.
CREATE TABLE former (
    name text   COLLATE "C" NOT NULL,
    id   text   COLLATE "C" NOT NULL, -- the study's identity
    at   bigint NOT NULL, -- nanoseconds since 1970
    PRIMARY KEY (name, id)
);
