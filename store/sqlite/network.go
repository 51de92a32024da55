package sqlite

import (
	"os"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// NetworkVariable is the environment variable that allows stores on network file systems, if it is 1.
const NetworkVariable = "EKE_NETWORK_STORE"

// onNetwork refuses a folder on a network file system. SQLite relies on locks and on memory that processes share through a file, and most
// of these file systems have neither: two machines that write at once destroy the store, and nobody notices at first.
func onNetwork(path, folder string) error {
	name := networkOf(folder)
	if name == "" || os.Getenv(NetworkVariable) == "1" {
		return nil
	}
	return fault.Errorf("put the store on a local disk (--db), and let other machines use eke serve, or use a postgres:// store; if only one machine ever uses it, set "+NetworkVariable+"=1",
		"%s: %w: it is on a network file system (%s), where two machines that write at once destroy it", path, store.ErrReadOnly, name)
}
