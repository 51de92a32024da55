package sqlite

import (
	"context"
	"database/sql"
)

// OpenForeign opens a database of another program, to read it. Nothing is written to it.
func OpenForeign(ctx context.Context, path string) (*sql.DB, error) {
	db, err := connect(path, "mode=ro")
	if err != nil {
		return nil, err
	}
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, explain(path, err)
	}
	return db, nil
}
