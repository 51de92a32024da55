//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package worker

import (
	"errors"
	"os"
)

// tryLock knows no locks here: no seat is ever taken over, and what a worker that died has left must be told by hand.
func tryLock(*os.File) (free bool, err error) { return false, errors.ErrUnsupported }
