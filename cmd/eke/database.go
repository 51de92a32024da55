package main

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/postgres"
	"github.com/eke-bo/eke/store/sqlite"
)

// isDatabase reports whether a store is given by the URL of a database rather than by a path.
func isDatabase(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// hasPassword reports whether the URL of a database has a password in it.
func hasPassword(db string) bool {
	u, err := url.Parse(db)
	if err != nil || !isDatabase(db) {
		return false
	}
	_, inUser := u.User.Password()
	return inUser || u.Query().Has("password")
}

// openStore opens a store of either kind.
func openStore(ctx context.Context, db string) (store.Store, error) {
	if isDatabase(db) {
		return postgres.Open(ctx, db)
	}
	st, err := sqlite.Open(ctx, db)
	if errors.Is(err, store.ErrReadOnly) { // looking at it is possible all the same
		return sqlite.OpenReading(ctx, db, err)
	}
	return st, err
}

// placeOf names a store in messages, without the password that a URL may have.
func placeOf(db string) string {
	if isDatabase(db) {
		return postgres.Place(db)
	}
	return db
}

// trialsOf is the folder for the files of a store's trials: beside the store, or here if the store is a database.
func trialsOf(db string) string {
	if isDatabase(db) {
		return "eke.trials"
	}
	return strings.TrimSuffix(db, ".db") + ".trials"
}
