package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// applicationID marks a file as ours, in the header field that SQLite keeps for this: "eke" and a store.
const applicationID = 0x656b6500 | 's'

// create creates an empty store at path, unless somebody else does so first. It is the owner's alone: commands may have secrets in
// their arguments.
func create(ctx context.Context, path string, c config) error {
	temp := besides(path)
	if err := os.WriteFile(temp, nil, 0o600); err != nil {
		return cannotCreate(path, err)
	}
	defer os.Remove(temp)
	if err := build(ctx, temp, c); err != nil {
		return explain(path, err)
	}
	if err := settle(temp, path); err != nil {
		return cannotCreate(path, err)
	}
	return nil
}

// build turns the empty file into a store without studies. It works with a rollback journal and switches to WAL at the end, so
// that closing it has nothing to copy from a WAL file.
func build(ctx context.Context, path string, c config) error {
	db, err := connect(path, "mode=rw", "_pragma=synchronous(FULL)", "_txlock=immediate")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := climb(ctx, db, c.steps); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	return db.Close()
}

// settle gives the finished file its name, but does not replace a file that has appeared there in the meantime.
func settle(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		// Some file systems have no links. Then two processes that create the same file within the same
		// instant can collide; the one whose file was replaced will find it gone.
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	}
	return syncFolder(filepath.Dir(path))
}

// besides returns an unused, hidden name in the same folder.
func besides(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%016x", filepath.Base(path), rand.Uint64()))
}

// syncFile must not be used on a store that is open in this process: closing any descriptor of a file
// drops the locks that SQLite holds on it.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder makes sure that the names in a folder are on disk, where folders can be synced.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // a folder that can be written to but not listed
	}
	defer f.Close()
	if err := f.Sync(); errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return nil
}

func cannotCreate(path string, err error) error {
	folder := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.StoreDenied, "create it first", "%s: the folder %s does not exist", path, folder)
	case errors.Is(err, syscall.ENOTDIR):
		return fault.Wrap(err, fault.StoreDenied, "give another path", "%s: %s is not a folder", path, folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Errorf("give a folder that you may write to", "%s: %w: no file can be created in %s (%w)", path, store.ErrReadOnly, folder, cause(err))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return full(path)
	}
	return fmt.Errorf("%s: %w", path, cause(err))
}

// cause drops the operation and the path from an error of the system.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
