-- Studies and their logs. Nothing in studies and events is ever changed or removed; the triggers see to it, whoever
-- connects. The sums are CRC-32C of what the row says (see sum.go), against silent damage. A writer is a random number
-- for each change: by it a change is known again whose answer was lost.

-- +goose Up

-- Names are compared byte by byte (COLLATE "C"): with a language's order an index breaks when the system's idea of that
-- language changes.
CREATE TABLE studies (
    id         bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text             COLLATE "C" NOT NULL UNIQUE,
    created    text             NOT NULL, -- RFC 3339, UTC, to the nanosecond
    total      double precision NOT NULL,
    measured   boolean          NOT NULL,
    definition bytea            NOT NULL, -- JSON, byte for byte as it was given
    sum        bigint           NOT NULL,
    writer     bigint           NOT NULL
);

-- The number of each log's last event. Who appends locks this row, and writers of one study take their turns at it.
CREATE TABLE heads (
    study   bigint PRIMARY KEY REFERENCES studies (id),
    version bigint NOT NULL
);

CREATE TABLE events (
    study  bigint NOT NULL REFERENCES studies (id),
    seq    bigint NOT NULL,
    body   bytea  NOT NULL, -- JSON; to read it: convert_from(body, 'UTF8')::jsonb
    sum    bigint NOT NULL,
    writer bigint NOT NULL,
    PRIMARY KEY (study, seq)
);

-- When each running trial was last known to be alive. Not part of the log.
CREATE TABLE touched (
    study bigint NOT NULL REFERENCES studies (id),
    trial bigint NOT NULL,
    at    bigint NOT NULL, -- nanoseconds since 1970
    PRIMARY KEY (study, trial)
);

-- +goose StatementBegin
CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what is in % is never changed or removed', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER studies_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON studies EXECUTE FUNCTION stays();
CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events EXECUTE FUNCTION stays();
CREATE TRIGGER heads_stay BEFORE DELETE OR TRUNCATE ON heads EXECUTE FUNCTION stays();

-- +goose StatementBegin
CREATE FUNCTION follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq IS DISTINCT FROM (SELECT COALESCE(max(seq), 0) + 1 FROM events WHERE study = NEW.study) THEN
        RAISE EXCEPTION 'events are numbered without gaps' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER events_follow BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION follows();

-- +goose StatementBegin
CREATE FUNCTION grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.study <> OLD.study OR NEW.version < OLD.version THEN
        RAISE EXCEPTION 'a log only grows' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER heads_grow BEFORE UPDATE ON heads FOR EACH ROW EXECUTE FUNCTION grows();
