package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/eke-bo/eke/internal/server"
)

// Only a process of this machine that has ended is gone.
func TestGone(t *testing.T) {
	if server.Here() == "" {
		t.Skip("nobody knows here where the number of a process is valid")
	}
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pid   int
		where string
		gone  bool
	}{{ended.Process.Pid, server.Here(), true}, {os.Getpid(), server.Here(), false}, {ended.Process.Pid, "00000000", false}, {0, server.Here(), false}} {
		if name := fmt.Sprintf("lease-laptop-%d-9f3c01@%s", c.pid, c.where); server.Gone(name) != c.gone {
			t.Errorf("%s", name)
		}
	}
	if name := fmt.Sprintf("lease-laptop-%d-9f3c01", ended.Process.Pid); server.Gone(name) {
		t.Error(name)
	}
}
