package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// mode is what a verb may do with a study.
type mode int

const (
	known    mode = iota // the study must be in the store
	joins                // a study file's study is put into the store if it is not there
	previews             // the same, but into a store that is thrown away
)

// habitual is the study file to use if none is named.
const habitual = "study.yaml"

// begin changes a study, which a study file may describe that has not begun. It begins only if the change is possible, which is tried
// on a study that is thrown away.
func (a *app) begin(ctx context.Context, arg string, change func(*broker.Broker) error) (*broker.Broker, error) {
	file, err := a.fileOf(ctx, arg, joins)
	if err != nil {
		return nil, err
	}
	if file != "" {
		s, err := readStudyFile(file)
		if err != nil {
			return nil, err
		}
		if begun, err := a.has(ctx, s.Name); err != nil {
			return nil, err
		} else if !begun {
			d, err := a.study(ctx, file, previews)
			if err == nil {
				err = change(d)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	d, err := a.study(ctx, arg, joins)
	if err != nil {
		return nil, err
	}
	return d, change(d)
}

// study finds the study that an argument means: a study file or a name in the store.
func (a *app) study(ctx context.Context, arg string, m mode) (*broker.Broker, error) {
	file, err := a.fileOf(ctx, arg, m)
	if err != nil {
		return nil, err
	}
	if file == "" {
		d, err := a.named(ctx, arg)
		if s, _ := readStudyFile(habitual); err == nil && arg == "" && a.at.server == "" && s != nil && s.Name == d.Study().Name {
			err = a.notePending(ctx, d, s, habitual)
		}
		return d, err
	}
	s, err := readStudyFile(file)
	if err == nil {
		if m != known {
			countGPUs(ctx, s)
		}
		err = a.takeEarlier(ctx, s, file, m)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case m == joins:
		return a.join(ctx, s)
	case m == previews:
		begun, err := a.has(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		if begun {
			return a.preview(ctx, s)
		}
		return broker.Create(ctx, store.Memory(), s)
	}
	d, err := a.named(ctx, s.Name)
	if fault.CodeOf(err) == fault.NotFound {
		err = fault.Errorf("begin it: eke run "+file, "the study %s of %s has not begun: %w", s.Name, file, err)
	}
	if err == nil {
		err = a.notePending(ctx, d, s, file)
	}
	return d, err
}

// notePending says that a study file has changed, where the study is shown as the store has it.
func (a *app) notePending(ctx context.Context, d *broker.Broker, s *study.Study, file string) error {
	if a.json {
		return nil
	}
	if s.GPUs != "" && s.Parallel == 0 { // whoever runs it counts them
		s.Parallel = d.Study().Parallel
	}
	r, err := d.Record(ctx)
	if err != nil {
		return err
	}
	switch fields, err := d.Pending(r, s); {
	case err != nil:
		fmt.Fprintf(a.err, "eke: note: %s has changed, and a run would refuse it: %s\n", file, printable(err.Error()))
	case len(fields) > 0:
		fmt.Fprintf(a.err, "eke: note: %s differs from the study in %s, which takes effect at the next run; eke plan %s shows how\n", file, strings.Join(fields, ", "), file)
	}
	return nil
}

// join opens the study that a file describes, and puts it into the store if it is not there.
func (a *app) join(ctx context.Context, s *study.Study) (*broker.Broker, error) {
	st, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	d, err := a.joinIn(ctx, st, s, "")
	if err == nil {
		a.joined = append(a.joined, d)
	}
	return d, err
}

// preview is join on a copy of the study, so that nothing is changed.
func (a *app) preview(ctx context.Context, s *study.Study) (*broker.Broker, error) {
	header, events, err := a.opened.Read(ctx, s.Name, 0)
	if err != nil {
		return nil, err
	}
	copied := store.Memory()
	if err := errors.Join(copied.Create(ctx, header), copied.Append(ctx, s.Name, 0, events...)); err != nil {
		return nil, err
	}
	return a.joinIn(ctx, copied, s, "a run would say: ")
}

func (a *app) joinIn(ctx context.Context, st store.Store, s *study.Study, note string) (*broker.Broker, error) {
	d, err := broker.Join(ctx, st, s)
	if errors.Is(err, broker.ErrDiffers) {
		err = fault.Errorf("to continue that study, undo the changes; to begin a new one, change name: in the file", "%w", err)
	}
	if err == nil && !a.json {
		for _, change := range d.Changes() {
			fmt.Fprintf(a.err, "eke: study %s: %s%s\n", s.Name, note, printable(change))
		}
	}
	return d, err
}

// fileOf returns the study file that an argument means. It is empty if the argument is a name in the store.
func (a *app) fileOf(ctx context.Context, arg string, m mode) (string, error) {
	switch {
	case a.at.server != "": // which knows no files
		return "", nil
	case arg == "" && m != known && isFile(habitual):
		return habitual, nil
	case arg == "" && isFile(habitual):
		// If there are several studies, take the one whose file is here.
		if list, err := a.heads(ctx); err == nil && len(list) > 1 {
			return habitual, nil
		}
		return "", nil
	case arg != "" && looksLikeFile(arg):
		return arg, nil
	case !isFile(arg):
		return "", nil
	}
	// A program and the study that tunes it may have the same name.
	begun, err := a.has(ctx, arg)
	if begun {
		return "", nil
	}
	return arg, err
}

// has reports whether the store has a study of this name.
func (a *app) has(ctx context.Context, name string) (bool, error) {
	if !a.hasStore() {
		return false, nil
	}
	names, err := a.names(ctx)
	return slices.Contains(names, name), err
}

func looksLikeFile(arg string) bool {
	ext := strings.ToLower(filepath.Ext(arg))
	return ext == ".yaml" || ext == ".yml" || filepath.Base(arg) != arg
}

// elsewhere adds to a hint how to reach the server that programs in Python use.
func (a *app) elsewhere() string {
	if server := os.Getenv("EKE_SERVER"); server != "" && a.at.server == "" {
		return "; a study on the server of $EKE_SERVER is reached with --server " + server
	}
	return ""
}

// named opens a study in the store; without a name, the only one.
func (a *app) named(ctx context.Context, name string) (*broker.Broker, error) {
	st, err := a.existing(ctx)
	if err != nil {
		return nil, err
	}
	if name != "" {
		d, err := broker.Open(ctx, st, name)
		if err == nil {
			a.joined = append(a.joined, d)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return d, err
		}
	}
	names, err := a.names(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0 && a.at.server != "":
		return nil, fault.New(fault.NotFound, "create one: eke study create study.yaml --server "+a.at.server, "there is no study on %s yet", a.place())
	case len(names) == 0:
		return nil, fault.New(fault.NotFound, "begin one: eke run study.yaml; eke init writes the file"+a.elsewhere(), "there is no study in %s yet", a.place())
	case name != "":
		return nil, fault.New(fault.NotFound, guess(name, names, "choose "+oneOf(names))+a.elsewhere(), "there is no study %q in %s", name, a.place())
	case len(names) > 1:
		return nil, usage("name one: "+strings.Join(names, ", "), "%s has %d studies", a.place(), len(names))
	}
	return a.named(ctx, names[0])
}

// completeStudies offers the names of studies to the shell.
func (a *app) completeStudies(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := a.names(cmd.Context())            // without a store there are none
	return names, cobra.ShellCompDirectiveDefault // study files are possible as well
}

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
	if s.Engine != nil && s.Engine.Template != "" && !filepath.IsAbs(s.Engine.Template) {
		if s.Engine.Template, err = filepath.Abs(filepath.Join(filepath.Dir(file), s.Engine.Template)); err != nil {
			return nil, err
		}
	}
	if !filepath.IsAbs(s.Workdir) && !isApart(s) { // otherwise it is a folder of the image
		if s.Workdir, err = filepath.Abs(filepath.Join(filepath.Dir(file), s.Workdir)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// countGPUs has a trial run on each GPU of this machine, where the study file leaves it to that. Where nobody can count them, a run says why.
func countGPUs(ctx context.Context, s *study.Study) {
	if s.GPUs == "" || s.Parallel > 0 {
		return
	}
	if list, err := local.GPUs(ctx); err == nil {
		s.Parallel = len(list)
	}
}

// takeEarlier reads the results that a study file starts from. Those in a file are read here, since a store knows no files; those of a study in the
// store only for a preview, which has a store of its own. If the study has begun, its log has the results, whatever happened
// to where they came from.
func (a *app) takeEarlier(ctx context.Context, s *study.Study, file string, m mode) error {
	if s.StartFrom == "" || m == known || !s.StartsFromFile() && m != previews {
		return nil
	}
	if begun, err := a.has(ctx, s.Name); begun || err != nil {
		return err
	}
	var err error
	if s.StartsFromFile() {
		s.Earlier, err = readEarlier(ctx, s, file)
		return err
	}
	if has, err := a.has(ctx, s.StartFrom); err != nil || !has {
		return err // and the preview says that there is no such study
	}
	p, of, err := broker.Earlier(ctx, a.opened, s.StartFrom, s)
	if err == nil {
		s.Earlier, err = broker.FitEarlier(s, p, of)
	}
	return err
}

// readEarlier reads the file that a study starts from: results of any form that import knows, or a store, perhaps with the name of one of its
// studies, such as old.db#kiln.
func readEarlier(ctx context.Context, s *study.Study, file string) (*study.Earlier, error) {
	path, name, _ := strings.Cut(s.StartFrom, "#")
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	if !isFile(path) {
		return nil, fault.New(fault.BadStudy, "give a path from the study file's folder, or the name of a study in the store", "start_from: there is no file %s", path)
	}
	head, err := readSome(path, sqlite.HeadSize)
	if err != nil {
		return nil, usage("give a file that you may read", "%s cannot be read: %v", path, cause(err))
	}
	if sqlite.IsStore(head) {
		return earlierIn(ctx, s, path, name)
	}
	t, err := readResults(ctx, path, name)
	if err != nil {
		return nil, err
	}
	p, err := results.Earlier(t, s)
	if err != nil {
		return nil, err
	}
	p.From = s.StartFrom
	return broker.FitEarlier(s, p, nil)
}

// earlierIn returns the results of a study in another store.
func earlierIn(ctx context.Context, s *study.Study, path, name string) (*study.Earlier, error) {
	st, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	list, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range list {
		names = append(names, h.Name)
	}
	switch {
	case name == "" && len(names) == 1:
		name = names[0]
	case name == "":
		return nil, fault.New(fault.BadStudy, "name one, such as start_from: "+s.StartFrom+"#"+first(names), "start_from: %s has %d studies", path, len(names))
	}
	p, of, err := broker.Earlier(ctx, st, name, s)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.New(fault.BadStudy, guess(name, names, "choose "+oneOf(names)), "start_from: there is no study %q in %s", name, path)
	}
	if err != nil {
		return nil, err
	}
	p.From = s.StartFrom
	return broker.FitEarlier(s, p, of)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
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
