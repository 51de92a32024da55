package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The tutorials run as they are printed: files are written, commands are run, and what they are said to print is compared with what
// they print, except for times of day.
func TestTutorials(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	for _, program := range []string{"sh", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the tutorials are not run:", err)
		}
	}
	for _, page := range []string{"TUTORIAL.md", "LAB.md", "FIDELITY.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("cc"); page == "FIDELITY.md" && err != nil {
				t.Skip("there is no C compiler here:", err)
			}
			raw, err := os.ReadFile("../../docs/" + page)
			if err != nil {
				t.Fatal(err)
			}
			ran, problems := follow(t.TempDir(), string(raw))
			if ran < 4 {
				t.Errorf("%d blocks of commands", ran)
			}
			for _, problem := range problems {
				t.Error(problem)
			}
		})
	}
}

// The study files on pages whose other commands are not run are valid, and so is the one that docs/CLUSTER.md has eke init write.
func TestStudiesOnPages(t *testing.T) {
	for _, page := range []string{"README.md", "docs/COMING-FROM.md", "docs/CLUSTER.md"} {
		raw, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		var lines string
		for _, b := range block.FindAllString(string(raw), -1) {
			if strings.HasPrefix(b, "```yaml\n# study.yaml\n") {
				lines += b + "\n"
			}
		}
		if begin := initLine.FindString(string(raw)); begin != "" {
			lines += "```sh\n" + begin + "```\n"
		}
		if lines == "" {
			t.Errorf("%s has no study file", page)
		}
		if _, problems := follow(t.TempDir(), lines+"```sh\neke plan --check\n```\n"); problems != nil {
			t.Error(page, problems)
		}
	}
}

// initLine is a command that writes a study file, with the lines that it goes on in.
var initLine = regexp.MustCompile(`(?m)^eke init (?:.*\\\n)*.*\n`)

// block is a fenced block of a page. Its name is that of a file: the second word of the fence, or a comment in the first line.
var (
	block    = regexp.MustCompile("(?ms)^```(\\w+) ?([\\w.]*)\n(.*?)^```")
	nameInIt = regexp.MustCompile(`^# (\w+\.\w+)\n`)
	clock    = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)
	thought  = regexp.MustCompile(`\s+chosen in \S+`) // which is said of a choice that took long
	spaces   = regexp.MustCompile(`\s+`)
)

// follow does what a page says, in a folder, and returns how many blocks of commands it ran.
func follow(dir, page string) (ran int, problems []string) {
	plain := func(s string) string {
		return strings.TrimSpace(spaces.ReplaceAllString(clock.ReplaceAllString(thought.ReplaceAllString(s, ""), "#"), " "))
	}
	client, err := filepath.Abs("../../clients/python")
	if err != nil {
		return 0, []string{err.Error()}
	}
	var printed []string
	for _, b := range block.FindAllStringSubmatch(page, -1) {
		language, name, text := b[1], b[2], b[3]
		if found := nameInIt.FindStringSubmatch(text); found != nil {
			name = found[1]
		}
		switch {
		case name != "":
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				problems = append(problems, err.Error())
			}
		case language == "sh":
			ran++
			run := exec.Command("sh", "-e", "-c", text)
			run.Dir, run.Env = dir, append(os.Environ(), "PYTHONPATH="+client)
			out, err := run.CombinedOutput()
			if err != nil {
				problems = append(problems, text+err.Error()+"\n"+string(out))
			}
			printed = printed[:0]
			for line := range strings.Lines(string(out)) {
				printed = append(printed, plain(line))
			}
		case language == "text":
			for line := range strings.Lines(text) {
				if !slices.Contains(printed, plain(line)) {
					problems = append(problems, "the page shows what is not printed: "+strings.TrimSpace(line)+"\n"+strings.Join(printed, "\n"))
				}
			}
		}
	}
	return ran, problems
}

// A check that cannot fail proves nothing.
func TestTutorialCheckCanFail(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for page, want := range map[string]int{
		"```text a.txt\n10:02:03 hello 12\n```\n```sh\ncat a.txt\n```\n```text\n23:59:00 hello 12\n```\n": 0,
		"```sh\necho '12:00:00 hello  chosen in 1.2s'\n```\n```text\n10:02:03 hello\n```\n":               0,
		"```sh\necho hello 12\n```\n```text\nhello 13\n```\n":                                             1,
		"```sh\necho hello\n```\n```text\ngoodbye\n```\n":                                                 1,
		"```sh\nfalse\ntrue\n```\n": 1,
	} {
		if _, problems := follow(t.TempDir(), page); len(problems) != want {
			t.Errorf("%s: %q", page, problems)
		}
	}
}
