package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/postgres"
	"github.com/eke-bo/eke/store/sqlite"
)

// isDatabase says whether a store is named by the URL of a database, and not by a path.
func isDatabase(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// hasPassword says whether there is a password in the URL of a database.
func hasPassword(db string) bool {
	u, err := url.Parse(db)
	if err != nil || !isDatabase(db) {
		return false
	}
	_, inUser := u.User.Password()
	return inUser || u.Query().Has("password")
}

// openStore opens whatever kind of store that is.
func openStore(ctx context.Context, db string) (store.Store, error) {
	if isDatabase(db) {
		return postgres.Open(ctx, db)
	}
	return sqlite.Open(ctx, db)
}

// placeOf names a store where people can read it. A URL may have a password in it.
func placeOf(db string) string {
	if isDatabase(db) {
		return postgres.Place(db)
	}
	return db
}

// trialsOf is the folder for the files of a store's trials: beside the store, or here if that is elsewhere.
func trialsOf(db string) string {
	if isDatabase(db) {
		return "eke.trials"
	}
	return strings.TrimSuffix(db, ".db") + ".trials"
}
