//go:build unix && !netbsd && !solaris && !illumos && !aix && !openbsd

package local

import "golang.org/x/sys/unix"

func init() {
	diskFull = func(dir string) bool {
		var s unix.Statfs_t
		return unix.Statfs(dir, &s) == nil && s.Blocks > 0 && s.Bavail <= 0
	}
}
