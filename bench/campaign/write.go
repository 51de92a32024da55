package campaign

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Add writes a result as one line, immediately and durably. A line that another process never finished is cut off
// first.
func (f *Folder[K, R]) Add(r R) error {
	line, err := json.Marshal(f.rounded(r))
	if err != nil {
		return err
	}
	return f.locked(func() error {
		// The file is opened every time, since another process may have packed and removed it
		// meanwhile.
		file, err := os.OpenFile(f.path(linesFile), os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return err
		}
		end, err := cutUnfinished(file)
		if err == nil {
			_, err = file.WriteAt(append(line, '\n'), end)
		}
		return errors.Join(err, file.Sync(), file.Close())
	})
}

func (f *Folder[K, R]) rounded(r R) R {
	if f.Rounded == nil {
		return r
	}
	return f.Rounded(r)
}

// cutUnfinished returns where the next line goes.
func cutUnfinished(file *os.File) (end int64, err error) {
	end, err = file.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return 0, err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, end-1); err != nil || last[0] == '\n' {
		return end, err
	}
	content := make([]byte, end)
	if _, err := file.ReadAt(content, 0); err != nil {
		return 0, err
	}
	end = int64(bytes.LastIndexByte(content, '\n') + 1)
	return end, file.Truncate(end)
}

// Pack moves all results into the packed file, in their order. The same results give the same file.
func (f *Folder[K, R]) Pack() error {
	return f.locked(func() error {
		results, err := f.Read()
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
			if err := lines.Encode(f.rounded(r)); err != nil {
				return err
			}
		}
		if err := zip.Close(); err != nil {
			return err
		}
		if err := replace(f.path(packedFile), packed.Bytes()); err != nil {
			return err
		}
		err = os.Remove(f.path(linesFile)) // only now that the packed file is there
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// replace writes a file so that there is always a complete one under its name.
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
