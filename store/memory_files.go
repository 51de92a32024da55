package store

import (
	"cmp"
	"context"
	"slices"
)

var _ Files = (*memory)(nil)

type fileKey struct {
	trial int
	name  string
}

func (m *memory) AppendFile(ctx context.Context, study string, f File, offset int64, data []byte, l FileLimits) (size int64, err error) {
	if err := f.Check(); err != nil {
		return 0, err
	}
	err = m.study(ctx, study, func(r *remembered) error {
		key := fileKey{f.Trial, f.Name}
		parts := r.files[key]
		size = sizeOf(parts)
		part, ok := Append(size, offset, data, l.Skip)
		if !ok {
			return nil
		}
		if r.kept()+int64(len(part.Data)) > l.Most {
			return ErrFilesFull
		}
		parts = append(parts, Part{part.Offset, slices.Clone(part.Data)})
		size = sizeOf(parts)
		for kept := keptOf(parts); kept > l.Keep; kept = keptOf(parts) {
			i := slices.IndexFunc(parts, func(p Part) bool { return p.Offset+int64(len(p.Data)) > l.Keep/2 })
			if i < 0 || i == len(parts)-1 {
				break
			}
			parts = slices.Delete(parts, i, i+1)
		}
		r.files[key] = parts
		return nil
	})
	return size, err
}

func (m *memory) ReadFile(ctx context.Context, study string, trial int, name string, offset, most int64) (f File, list []Part, err error) {
	err = m.study(ctx, study, func(r *remembered) error {
		parts := r.files[fileKey{trial, name}]
		if len(parts) == 0 {
			return ErrNoFile
		}
		f = File{trial, name, sizeOf(parts), keptOf(parts)}
		read := int64(0)
		for _, p := range parts {
			if p.Offset+int64(len(p.Data)) > offset && read < most {
				list = append(list, Part{p.Offset, slices.Clone(p.Data)})
				read += int64(len(p.Data))
			}
		}
		return nil
	})
	return f, list, err
}

func (m *memory) Files(ctx context.Context, study string, trial int) (list []File, err error) {
	err = m.study(ctx, study, func(r *remembered) error {
		for key, parts := range r.files {
			if key.trial == trial {
				list = append(list, File{trial, key.name, sizeOf(parts), keptOf(parts)})
			}
		}
		slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return list, err
}

func (r *remembered) kept() (sum int64) {
	for _, parts := range r.files {
		sum += keptOf(parts)
	}
	return sum
}

func sizeOf(parts []Part) int64 {
	if len(parts) == 0 {
		return 0
	}
	last := parts[len(parts)-1]
	return last.Offset + int64(len(last.Data))
}

func keptOf(parts []Part) (sum int64) {
	for _, p := range parts {
		sum += int64(len(p.Data))
	}
	return sum
}
