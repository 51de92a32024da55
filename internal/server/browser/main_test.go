package browser_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium is the one browser of all tests; each has a profile of its own in it. Nil: there is none, for the reason why.
var (
	chromium context.Context
	missing  string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	path, err := exec.LookPath(cmp.Or(os.Getenv("EKE_CHROMIUM"), "chromium"))
	if err != nil {
		missing = fmt.Sprintf("there is no chromium (scripts/chromium installs it): %v", err)
		return m.Run()
	}
	profile, err := os.MkdirTemp("", "eke-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(profile)
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.DisableGPU,
	}
	// A test must not depend on what the browser does besides.
	for _, name := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage",
		"disable-extensions", "disable-background-timer-throttling", "disable-renderer-backgrounding", "hide-scrollbars"} {
		flags = append(flags, chromedp.Flag(name, true))
	}
	if os.Getuid() == 0 { // root cannot have the sandbox
		flags = append(flags, chromedp.NoSandbox)
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	defer stop()
	ctx, quit := chromedp.NewContext(alloc, chromedp.WithErrorf(func(string, ...any) {})) // events of newer browsers that chromedp does not know
	defer quit()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "chromium does not start:", err)
		return 1
	}
	chromium = ctx
	return m.Run()
}
