//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package flock

import (
	"errors"
	"os"
)

// Try knows no locks here, and says so with errors.ErrUnsupported.
func Try(*os.File) (free bool, err error) { return false, errors.ErrUnsupported }
