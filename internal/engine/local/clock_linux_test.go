package local

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

// A command whose end nobody saw is charged until it last wrote something.
func TestGuessEnd(t *testing.T) {
	f := files{t.TempDir()}
	begin := time.Now().Add(-time.Minute)
	at := begin.Add
	c := clock{begin: begin, seen: at(5 * time.Second)}
	c.guessEnd(f)
	if c.used() != 5*time.Second || !c.guessed {
		t.Errorf("last seen after 5s: %v", c.used())
	}
	for name, after := range map[string]time.Duration{engine.StdoutFile: 20 * time.Second, engine.StderrFile: 2 * time.Second} {
		if err := os.WriteFile(f.path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f.path(name), time.Time{}, at(after)); err != nil {
			t.Fatal(err)
		}
	}
	c = clock{begin: begin, seen: at(5 * time.Second)}
	c.guessEnd(f)
	if got := c.used() - 20*time.Second; got.Abs() > 100*time.Millisecond {
		t.Errorf("it wrote something after 20s: %v", c.used())
	}
}

// While a command prints, the middle of what it has printed is given back to the disk, and what it prints next is not harmed.
func TestTrim(t *testing.T) {
	f := files{t.TempDir()}
	file, err := f.create("stdout")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	o := &output{File: file}
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = 'x'
	}
	for range 40 {
		if _, err := o.Write(block); err != nil {
			t.Fatal(err)
		}
		o.trim()
	}
	if o.freed == 0 {
		t.Skip("this file system cannot give back a part of a file")
	}
	info, err := o.Stat()
	if err != nil || info.Size() != 40<<20 {
		t.Fatalf("%v, %v", info, err)
	}
	if used := info.Sys().(*syscall.Stat_t).Blocks * 512; used > keptHead+keptTail+slackOutput+2<<20 {
		t.Errorf("%d bytes are used", used)
	}
	if err := o.shorten(); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(f.path("stdout"))
	if err != nil || kept[0] != 'x' || kept[len(kept)-1] != 'x' || len(kept) > keptHead+keptTail+100 {
		t.Errorf("%d bytes, %v", len(kept), err)
	}
}
