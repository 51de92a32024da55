package engine

import (
	"os"
	"slices"
	"strings"
)

// TokenVariable holds the token of a worker, and NotifySecret what notices are signed with. Commands do not get to see them.
const (
	TokenVariable = "EKE_TOKEN"
	NotifySecret  = "EKE_NOTIFY_SECRET"
)

// CheckpointVariable tells a command the folder for its checkpoint. Trials that go on from each other have the same.
const CheckpointVariable = "EKE_CHECKPOINT"

// Environ is what commands inherit of this process.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{TokenVariable, NotifySecret, CheckpointVariable}, name)
	})
}
