package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// Names of the files of a job.
const (
	ParamsFile   = "params.json" // the setting, before the command starts
	ResultFile   = "result.json" // written by the command, if it likes
	StdoutFile   = "stdout"      // what the command prints
	StderrFile   = "stderr"
	StartedFile  = "started"   // its time is when the command began, if the engine notes that
	ArtifactsDir = "artifacts" // a folder for files that the command wants to be kept
	idFile       = "trial.id"  // the ID of the trial that the folder is of; folders that a version before 0.2 has made have none
)

// Folders is for engines whose jobs write to folders that the controller sees as well. Other engines fetch the files.
type Folders struct{}

// Files are those in the job's folder.
func (Folders) Files(j Job) fs.FS { return folder(j.Dir) }

// Claim makes the job's folder, and writes the trial's ID into it.
func (f Folders) Claim(j Job) (aside string, err error) {
	if j.ID == "" {
		return "", nil
	}
	was, err := Owner(f.Files(j))
	if err == nil && was == j.ID {
		return "", nil
	}
	if err == nil && was != "" {
		to := fmt.Sprintf("%s.%.8s", j.Dir, was)
		if err = os.Rename(j.Dir, to); err == nil {
			aside = to
		}
	}
	if err == nil {
		err = os.MkdirAll(j.Dir, 0o700)
	}
	if err == nil {
		err = WriteFile(filepath.Join(j.Dir, idFile), []byte(j.ID+"\n"))
	}
	if err != nil {
		err = fault.New(fault.CannotRun, "make it writable", "the folder of trial %d cannot be used: %w", j.Trial, err)
	}
	return aside, err
}

// Owner returns the ID of the trial whose files these are; "" if they do not say.
func Owner(files fs.FS) (string, error) {
	raw, err := fs.ReadFile(files, idFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(raw)), err
}

// IsUnclaimed says whether a folder is no trial's yet: whoever made it was killed before the ID was written.
func IsUnclaimed(files fs.FS) bool {
	entries, err := fs.ReadDir(files, ".")
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != idFile+beside })
}

// Checkpoint makes the folder of a checkpoint.
func (Folders) Checkpoint(dir string) (holds bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0, nil
}

type folder string

// Open opens a file. A file in a folder below is not looked for outside of that, wherever links lead.
func (f folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	below, base := path.Split(name)
	if below == "" {
		return os.Open(filepath.Join(string(f), name))
	}
	root, err := os.OpenRoot(filepath.Join(string(f), below))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(base)
}

// beside ends the name of a file that is being written.
const beside = "~new"

// WriteFile writes a file beside and renames it, and has the disk keep both.
func WriteFile(name string, raw []byte) error {
	file, err := os.OpenFile(name+beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	if err = cmp.Or(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(name+beside, name)
	}
	return cmp.Or(err, SyncFolder(filepath.Dir(name)))
}

// SyncFolder makes a rename last. Where folders cannot be synced there is nothing more to be done.
func SyncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	_ = folder.Sync()
	return nil
}

// publicVariables are the variables that say where a trial ran. Others may be secrets, and no list of words knows all of those.
var publicVariables = []string{"PATH", "LANG", "LC_ALL", "HOSTNAME", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VIRTUAL_ENV",
	"CONDA_DEFAULT_ENV", "PYTHONPATH", "PYTHONHASHSEED", "LD_LIBRARY_PATH", "SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_CPUS_PER_TASK", "GOMAXPROCS"}

// Environment describes where a job runs, without secrets.
func (j Job) Environment() []byte {
	host, _ := os.Hostname()
	variables := map[string]string{}
	for _, entry := range j.Env {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(publicVariables, name) {
			variables[name] = value
		}
	}
	raw, _ := json.MarshalIndent(map[string]any{
		"host": host, "system": runtime.GOOS + "/" + runtime.GOARCH, "processors": runtime.NumCPU(), "command": j.Argv, "folder": j.WorkDir, "variables": variables,
	}, "", "  ")
	return append(raw, '\n')
}

// WriteNote puts what an engine has to know of a trial's job into a file of its folder, whole and for good.
func WriteNote(name string, trial int, note any) error {
	raw, err := json.Marshal(note)
	if err == nil {
		err = WriteFile(name, raw)
	}
	if err != nil {
		return fault.Wrap(err, fault.StoreFull, "make room on the disk, and see that the folder can be written", "the folder of trial %d cannot be written: %v", trial, err)
	}
	return nil
}

// ReadNote reads it. ok is false if nobody has ever written it.
func ReadNote(name string, note any) (ok bool, err error) {
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, note)
	}
	if err != nil {
		return false, fault.Wrap(err, fault.Conflict, "", "%s cannot be read: %v", name, err)
	}
	return true, nil
}
