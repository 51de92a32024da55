package main

import (
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/runner"
)

// hookFlags says where a server posts its notices, as it was typed. Only the administrator may say so: a study's author must not make the
// server post anywhere.
type hookFlags struct{ url, secretFile string }

// hookVariable is where the address may be as well. That of a chat often has a password in it, which is nothing for an argument.
const hookVariable = "EKE_WEBHOOK"

func (f *hookFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "webhook", os.Getenv(hookVariable), "the `URL` to post notices of all studies to; $"+hookVariable+" sets the default")
	flags.Lookup("webhook").DefValue = "" // the help must not show it
	flags.StringVar(&f.secretFile, "webhook-secret", "", "a `file` with the secret that notices are signed with (default: $"+runner.NotifySecret+")")
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
	secret = os.Getenv(runner.NotifySecret)
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
