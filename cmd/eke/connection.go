package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
)

// connection is how to reach a server, as it was typed.
type connection struct {
	server        string
	tokenFile, ca string
	insecure      bool
}

// add adds the flags of a connection to those of a verb.
func (c *connection) add(flags *pflag.FlagSet) {
	flags.StringVar(&c.server, "server", "", "the server's `URL`")
	flags.StringVar(&c.tokenFile, "token-file", "", "a `file` with the token (default: $EKE_TOKEN)")
	flags.StringVar(&c.ca, "ca", "", "a PEM `file` of certificates to trust instead of the system's")
	flags.BoolVar(&c.insecure, "insecure", false, "send the token to another machine over plain http, where others can read it")
}

// clientFor is client for what is done with a study, which has to be named: a server has no study file to guess it from.
func (c connection) clientFor(study string) (*api.Client, error) {
	if study == "" {
		return nil, usage("give its name", "the name of the study on the server is missing")
	}
	return c.client()
}

// mostSecret is how much is read of a file with a token.
const mostSecret = 4096

// client returns the connection that the flags describe.
func (c connection) client() (*api.Client, error) {
	s := api.Config{URL: c.server, Token: strings.TrimSpace(os.Getenv(runner.TokenVariable)), Insecure: c.insecure}
	if c.tokenFile != "" {
		raw, err := readSome(c.tokenFile, mostSecret)
		if err != nil {
			return nil, usage("give a file that you may read", "the token's file %s cannot be read: %v", c.tokenFile, cause(err))
		}
		if s.Token = strings.TrimSpace(string(raw)); s.Token == "" {
			return nil, usage("put the token into it: eke token new --role worker", "the token's file %s is empty", c.tokenFile)
		}
	}
	if c.ca != "" {
		raw, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, usage("give a PEM file", "the certificates %s cannot be read: %v", c.ca, cause(err))
		}
		s.CA = slices.Concat(raw, []byte("\n")) // an empty file is one without certificates, not none
	}
	client, err := api.NewClient(s)
	if err != nil {
		return nil, usage(fault.HintOf(err), "%v", err)
	}
	return client, nil
}
