package paper

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// WriteCompact moves all results of a folder into its packed file, sorted by key: the same results give the same file.
func WriteCompact(dir string) (err error) {
	j, err := openJournal(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	results, err := ReadResults(dir)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(zip)
	for _, r := range results {
		if err := lines.Encode(r.rounded()); err != nil {
			return err
		}
	}
	if err := zip.Close(); err != nil {
		return err
	}
	if err := replace(filepath.Join(dir, packedFile), packed.Bytes()); err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, resultsFile)) // only now that the packed file is there
}

// replace writes a file so that there is always a whole one under its name.
func replace(name string, content []byte) error {
	next := name + ".new"
	file, err := os.Create(next)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		os.Remove(next)
		return err
	}
	return os.Rename(next, name)
}
