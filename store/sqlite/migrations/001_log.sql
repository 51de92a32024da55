-- Studies and their logs. Nothing in these two tables is ever changed or removed; the triggers see to it,
-- whoever opens the file. The sums are CRC-32C of what the row says (see sum.go), against silent damage.

CREATE TABLE studies (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    created    TEXT    NOT NULL, -- RFC 3339, UTC
    total      REAL    NOT NULL,
    measured   INTEGER NOT NULL,
    definition BLOB    NOT NULL, -- JSON, byte for byte as it was given
    sum        INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
    study INTEGER NOT NULL REFERENCES studies (id),
    seq   INTEGER NOT NULL,
    body  TEXT    NOT NULL, -- JSON
    sum   INTEGER NOT NULL,
    PRIMARY KEY (study, seq)
) STRICT, WITHOUT ROWID;

-- When each running trial was last known to be alive. Not part of the log.
CREATE TABLE touched (
    study INTEGER NOT NULL REFERENCES studies (id),
    trial INTEGER NOT NULL,
    at    INTEGER NOT NULL, -- nanoseconds since 1970
    PRIMARY KEY (study, trial)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER studies_stay BEFORE DELETE ON studies
BEGIN SELECT RAISE(ABORT, 'a study is never deleted from the store'); END;

CREATE TRIGGER studies_keep BEFORE UPDATE ON studies
BEGIN SELECT RAISE(ABORT, 'a study is never changed in the store'); END;

CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'an event is never deleted from the log'); END;

CREATE TRIGGER events_keep BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event is never changed in the log'); END;

-- Also keeps INSERT OR REPLACE from replacing.
CREATE TRIGGER events_follow BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT COALESCE(MAX(seq), 0) + 1 FROM events WHERE study = NEW.study)
BEGIN SELECT RAISE(ABORT, 'events are numbered without gaps'); END;
