package engine

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Names of the files of a job.
const (
	ParamsFile   = "params.json" // the setting, before the command starts
	ResultFile   = "result.json" // written by the command, if it likes
	StdoutFile   = "stdout"      // what the command prints
	StderrFile   = "stderr"
	ArtifactsDir = "artifacts" // a folder for files that the command wants to be kept
)

// Folders is for engines whose jobs write to folders that the controller sees as well. Other engines fetch the files.
type Folders struct{}

// Files are those in the job's folder.
func (Folders) Files(j Job) fs.FS { return folder(j.Dir) }

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
