package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// slotVariable is what the processes of a slot are known by, those included whose trial nobody knows any more.
const slotVariable = "EKE_SLOT_DIR"

// sweep kills what is left of a trial whose runner died, and returns how many processes that were. The
// command itself dies with its runner, but what it had started does not. They are known by EKE_DIR in their
// environment, for their numbers may be somebody else's by now. A runner that lives must not be swept.
func sweep(ctx context.Context, dir string) (killed int, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	return sweepBy(ctx, "EKE_DIR", dir)
}

// sweepAll sweeps a trial's folder, and the command that stays alive which the trial was handed to.
func sweepAll(ctx context.Context, dir string) error {
	if _, err := sweep(ctx, dir); err != nil {
		return err
	}
	link, err := os.ReadFile(filepath.Join(dir, warmFile))
	if err != nil { // it was handed to none
		return nil
	}
	_, err = sweep(ctx, strings.TrimSpace(string(link)))
	return err
}

// Slots lists the slots of a study: its own, or the GPUs of this machine.
func (e *Engine) Slots(ctx context.Context, s *study.Study) ([]study.Slot, error) {
	if s.GPUs == "" {
		return s.Slots, nil
	}
	return GPUs(ctx)
}

// Enter kills what is left in a slot. A runner that lives would hold its lock.
func (e *Engine) Enter(ctx context.Context, s engine.Slot) error {
	if _, err := sweepBy(ctx, slotVariable, s.Dir); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(s.Dir, warmPrefix+"*"))
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

// Leave ends the command that waits in a slot for its next job.
func (e *Engine) Leave(s engine.Slot) {
	if w := e.takeIdle(s.Dir); w != nil {
		w.end()
	}
}

// gpu is a line of nvidia-smi -L, such as: GPU 0: NVIDIA A100 (UUID: GPU-5a1b…)
var gpu = regexp.MustCompile(`(?m)^GPU (\d+):(?:.*\(UUID: ([^)]+)\))?`)

// visible restricts GPUs, by their numbers or UUIDs.
const visible = "CUDA_VISIBLE_DEVICES"

// GPUs lists a slot for each GPU that nvidia-smi lists, of those that the environment leaves to this process.
func GPUs(ctx context.Context) (list []study.Slot, err error) {
	const hint = "run where there are GPUs, or describe the slots: slots: [{env: {CUDA_VISIBLE_DEVICES: \"0\"}}, …]"
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "-L").Output()
	switch failed := (*exec.ExitError)(nil); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, wrong(err, hint, "gpus is auto, but there is no nvidia-smi on this machine to list its GPUs")
	case errors.As(err, &failed):
		return nil, wrong(err, hint, "gpus is auto, but nvidia-smi -L fails: %s", shorten(string(out)+" "+string(failed.Stderr)))
	case err != nil:
		return nil, wrong(err, hint, "gpus is auto, but nvidia-smi cannot be run: %v", bare(err))
	}
	mine := strings.Split(os.Getenv(visible), ",")
	for _, m := range gpu.FindAllSubmatch(out, -1) {
		number, uuid := string(m[1]), string(m[2])
		if os.Getenv(visible) == "" || slices.Contains(mine, number) || uuid != "" && slices.Contains(mine, uuid) {
			// The system counts GPUs by the bus, CUDA by their speed unless told otherwise.
			list = append(list, study.Slot{Env: map[string]string{visible: number, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}})
		}
	}
	if len(list) == 0 && gpu.Match(out) {
		return nil, wrong(nil, "change it, or leave it out", "gpus is auto, but $%s is %q, and nvidia-smi lists no such GPU", visible, os.Getenv(visible))
	}
	if len(list) == 0 {
		return nil, wrong(nil, hint, "gpus is auto, but nvidia-smi lists no GPU on this machine")
	}
	return list, nil
}
