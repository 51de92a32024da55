package slurm

import (
	"context"
	"os"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// visible refuses a path that jobs on other machines cannot see for certain, since it is in this machine's memory. A local disk may be
// exported to the nodes under the same name; a job that does not find its folder says so.
func (e *Engine) visible(ctx context.Context, what, path, hint string) error {
	if !inMemory(path) {
		return nil
	}
	here, err := os.Hostname()
	if err != nil {
		return nil //nolint:nilerr // nobody knows which nodes are other machines
	}
	out, err := call(ctx, nil, "sinfo", "--noheader", "--format=%n")
	if err != nil {
		return nil //nolint:nilerr // Slurm does not answer now; the job will tell
	}
	for _, node := range strings.Fields(out) {
		if short(node) != short(here) {
			return fault.New(fault.CannotRun, hint, "%s %s is in this machine's memory (tmpfs), where jobs on %s cannot see it", what, path, node)
		}
	}
	return nil
}

// short is the name of a machine without its domain.
func short(host string) string {
	name, _, _ := strings.Cut(host, ".")
	return name
}
