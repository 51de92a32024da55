package server

import (
	"os"
	"runtime/debug"
)

// softMemory is how much memory the process takes before it collects garbage more eagerly than the default, which lets it grow to twice
// what it needs. A study with 20,000 results needs about half of this while models are fitted to it.
const softMemory = 400 << 20

// LimitMemory asks the process to stay within the memory that a server should need. It is a wish: what is in use is never refused.
// $GOMEMLIMIT says something else.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
}
