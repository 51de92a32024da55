package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/webhook"
	"github.com/eke-bo/eke/study"
)

// notifier tells others what happens in a run. Nothing waits for it, and nothing fails with it: it says so on stderr, once.
type notifier struct {
	*study.Notify
	study     *study.Study
	told      sync.WaitGroup
	once      sync.Once
	complain  func(error)
	inTrouble bool
	bests     *advisor.BestCache
	best      advisor.Best // when it last heard
}

// notifyWithin is how long one notification may take.
const notifyWithin = 20 * time.Second

// hear passes on what is worth telling. It is called for one piece of news at a time.
func (n *notifier) hear(news runner.News) {
	s, t := n.study, news.Trial
	switch news.Kind {
	case runner.Ended, runner.Recovered:
		if best, is := n.newBest(news.Record, t); is {
			what := fmt.Sprintf("new best: %s %s", s.Objective.Name, best.Text())
			if s.Several() {
				what = "on the front: " + say.Outcome(s, best.Trial)
			}
			n.tell(webhook.Notice{Event: study.NoticeBest, Study: s.Name, Text: fmt.Sprintf("%s%s (%s)", what, say.For(s.Cost, best.Trial), say.Setting(s, best.Setting)), Trial: withoutPlan(&best.Trial)})
		}
	case runner.Resumed:
		n.newBest(news.Record, nil)
	case runner.Trouble, runner.Refused:
		if !n.inTrouble { // it is told again and again until it is over
			n.inTrouble = true
			n.tell(webhook.Notice{Event: study.NoticeTrouble, Study: s.Name, Text: news.Text})
		}
	case runner.Back:
		n.inTrouble = false
	case runner.Stopped:
		n.tell(webhook.Notice{Event: study.NoticeEnd, Study: s.Name, Text: "the run has ended: " + news.Text})
	}
}

// newBest returns the best setting, and whether that is news when a trial has ended. It is news if the trial is on the front of several
// objectives, if the best setting is the trial's or, where evaluations have noise, if the best setting is another than before. The luckiest
// observation is no news.
func (n *notifier) newBest(r *study.Record, t *study.Trial) (best advisor.Best, is bool) {
	if n.study.Several() && (t == nil || r == nil) {
		return best, false
	}
	if n.bests == nil {
		a, err := advisor.New(n.study)
		if err != nil {
			return best, false
		}
		n.bests = advisor.NewBestCache(a)
	}
	if n.study.Several() {
		front, _ := n.bests.Front(context.Background(), r) // without models, that of what was seen
		best.Trial = *t
		return best, front.Has(*t)
	}
	best, ok, err := n.bests.Of(context.Background(), r)
	before := n.best
	if n.best = best; err != nil || !ok || t == nil {
		return best, false
	}
	if best.Estimate != nil {
		return best, !before.Has(best.Trial)
	}
	return best, best.Number == t.Number && t.State == study.Done
}

func withoutPlan(t *study.Trial) *study.Trial {
	short := *t
	short.Plan, short.Why = nil, nil
	return &short
}

func (n *notifier) tell(what webhook.Notice) {
	if !n.Wants(what.Event) {
		return
	}
	body, err := json.Marshal(what)
	if err != nil {
		return
	}
	for _, send := range []func(context.Context, webhook.Notice, []byte) error{n.run, n.post} {
		n.told.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), notifyWithin)
			defer cancel()
			if err := send(ctx, what, body); err != nil {
				n.once.Do(func() { n.complain(err) })
			}
		})
	}
}

// run runs the command, with the news on stdin and in $EKE_EVENT, $EKE_STUDY and $EKE_TEXT.
func (n *notifier) run(ctx context.Context, what webhook.Notice, body []byte) error {
	if len(n.Command) == 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, n.Command[0], n.Command[1:]...)
	cmd.Dir, cmd.Stdin = n.study.Workdir, bytes.NewReader(append(body, '\n'))
	cmd.Env = []string{"EKE_EVENT=" + string(what.Event), "EKE_STUDY=" + what.Study, "EKE_TEXT=" + strings.ReplaceAll(what.Text, "\x00", "")}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "EKE_") { // the token is nobody's business
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.WaitDelay = time.Second // for what it leaves in the background, which may have its input open for as long as it likes
	out, err := os.CreateTemp("", "eke-notify-*")
	if err == nil { // without room for its output, it runs all the same
		defer os.Remove(out.Name())
		defer out.Close()
		cmd.Stdout, cmd.Stderr = out, out // no pipe: what it leaves would be killed if it printed something when nobody reads any more
	}
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		said := make([]byte, 200)
		length, _ := out.ReadAt(said, 0) // 0 if there is no file
		return fmt.Errorf("the command of notify failed: %w: %s", err, say.Clean(string(said[:length])))
	}
	return nil
}

func (n *notifier) post(ctx context.Context, _ webhook.Notice, body []byte) error {
	if n.URL == "" {
		return nil
	}
	if err := webhook.Post(ctx, n.URL, os.Getenv(engine.NotifySecret), "", body); err != nil {
		return fmt.Errorf("the url of notify got no notice: %w", err)
	}
	return nil
}

// hookFlags says where a server posts its notices, as it was typed. Only the administrator may say so: a study's author must not make the
// server post anywhere.
type hookFlags struct{ url, secretFile string }

// hookVariable is where the address may be as well. That of a chat often has a password in it, which is nothing for an argument.
const hookVariable = "EKE_WEBHOOK"

func (f *hookFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "webhook", os.Getenv(hookVariable), "the `URL` to post notices of all studies to; $"+hookVariable+" sets the default")
	flags.Lookup("webhook").DefValue = "" // the help must not show it
	flags.StringVar(&f.secretFile, "webhook-secret", "", "a `file` with the secret that notices are signed with (default: $"+engine.NotifySecret+")")
}

// leastSecret is how long a secret has to be, in bytes, so that nobody finds it by trying.
const leastSecret = 16

// check finds mistakes in the flags, and returns the secret.
func (f *hookFlags) check(insecure bool) (secret string, err error) {
	if f.url == "" {
		if f.secretFile != "" {
			return "", usage("give --webhook URL as well", "--webhook-secret is useless without an address")
		}
		return "", nil
	}
	u, err := url.Parse(f.url)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return "", usage("write: --webhook https://chat.example.org/eke", "the address of the webhook is not a URL")
	case u.User != nil:
		return "", usage("leave it out: notices are signed", "the address of the webhook contains a password")
	case u.Scheme == "http" && !api.IsLoopback(u.Hostname()) && !insecure:
		return "", usage("use https; or --insecure, if nobody else can listen on the network", "notices would travel to %s unencrypted", u.Host)
	}
	secret = os.Getenv(engine.NotifySecret)
	if f.secretFile != "" {
		raw, err := readSome(f.secretFile, mostSecret)
		if err != nil {
			return "", usage("give a file that you may read", "the webhook's secret %s cannot be read: %v", f.secretFile, cause(err))
		}
		secret = string(raw)
	}
	if secret = strings.TrimSpace(secret); len(secret) < leastSecret {
		return "", usage("write one into a file, and give it with --webhook-secret: openssl rand -hex 32", "the webhook's secret is missing, or shorter than %d characters", leastSecret)
	}
	return secret, nil
}
