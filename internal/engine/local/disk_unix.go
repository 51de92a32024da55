//go:build unix && !netbsd && !solaris && !illumos && !aix && !openbsd

package local

import "golang.org/x/sys/unix"

// diskFull says whether nothing more can be written to a directory. A program on a full disk may end in silence,
// with half a result.
func diskFull(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && s.Blocks > 0 && s.Bavail <= 0
}
