package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	lib "modernc.org/sqlite/lib"
)

// inspect returns an error unless the file at path is an intact eke store. It changes nothing.
//
// It reads through SQLite and not with os.Open: if this process had the file open already, closing another
// descriptor of it would drop all locks (POSIX), and other processes would then write over ours.
func inspect(ctx context.Context, path string, c config) error {
	before, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	switch {
	case before.IsDir():
		return foreign(path, "it is a folder", "give the path of a file in it")
	case !before.Mode().IsRegular():
		return foreign(path, "it is not a regular file", "give another path")
	case before.Size() == 0:
		return foreign(path, "it is an empty file", "remove it, or give another path")
	}

	if !inUse(path) {
		// immutable: without locks, and without files made beside it.
		err := examine(ctx, path, c, "immutable=1")
		if err == nil || errors.Is(err, fs.ErrPermission) || undisturbed(path, before) {
			return err
		}
	}
	// Somebody is writing to it, or died before tidying up. Then the file makes sense only under locks and together with the
	// log beside it, half of which may have been copied into the file. SQLite does not go on copying if it is opened for
	// reading only.
	return patiently(ctx, func() error { return examine(ctx, path, c, busyTimeout) })
}

func undisturbed(path string, before fs.FileInfo) bool {
	after, err := os.Stat(path)
	return err == nil && !inUse(path) && after.ModTime().Equal(before.ModTime()) && after.Size() == before.Size()
}

func examine(ctx context.Context, path string, c config, how string) error {
	db, err := connect(path, "mode=ro", how)
	if err != nil {
		return explain(path, err)
	}
	defer db.Close()
	if err = identify(ctx, db, path, c); err == nil {
		err = check(ctx, db, path, c)
	}
	if isBusy(err) {
		return err // it may pass
	}
	return explain(path, err)
}

// identify compares the file's header with ours.
func identify(ctx context.Context, db *sql.DB, path string, c config) error {
	var id int
	err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	switch {
	case primary(code(err)) == lib.SQLITE_CANTOPEN:
		return unreadable(path)
	case err != nil:
		return err
	case id != applicationID:
		return foreign(path, "it is another program's database", "give another path")
	}
	_, err = versionOf(ctx, db, path, c)
	return err
}

// check reads all pages of the file, unless it is large.
func check(ctx context.Context, db *sql.DB, path string, c config) error {
	if info, err := os.Stat(path); err == nil && info.Size() > c.checkUpTo {
		return nil
	}
	var finding string
	err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&finding)
	if err == nil && finding != "ok" {
		err = damaged(path, finding[strings.LastIndexByte(finding, '\n')+1:]) // the line before says which database
	}
	return err
}

// inUse reports whether there is a log beside the file. There is one while anybody has the file open, and after they were killed.
func inUse(path string) bool {
	_, err := os.Stat(path + "-wal")
	return !errors.Is(err, fs.ErrNotExist)
}
