package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/study"
)

// readStudyFile reads a study file. The command's folder becomes an absolute path, so that the study can be run from elsewhere.
func readStudyFile(file string) (*study.Study, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("write one with: eke init "+file, "there is no study file %s", file)
	case err == nil && info.IsDir():
		return nil, usage("give the study file in it", "%s is a folder", file)
	}
	raw, err := readSome(file, study.MaxFile+1) // Parse refuses a longer file
	if err != nil {
		return nil, usage("give a study file that you may read", "%s cannot be read: %v", file, cause(err))
	}
	s, err := study.Parse(raw, file)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(s.Workdir) {
		if s.Workdir, err = filepath.Abs(filepath.Join(filepath.Dir(file), s.Workdir)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readSome reads at most so much of a file, which may be a pipe or a device.
func readSome(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// cause is an error of the system without the operation and the path.
func cause(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
