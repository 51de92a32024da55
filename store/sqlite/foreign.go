package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
)

// HeadSize is how many bytes of a file IsStore looks at.
const HeadSize = 100

// IsStore reports whether a file that begins like this is a store, and not a database of another program. SQLite keeps the mark at byte
// 68 of its header.
func IsStore(head []byte) bool {
	return len(head) >= HeadSize && bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && binary.BigEndian.Uint32(head[68:]) == applicationID
}

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
