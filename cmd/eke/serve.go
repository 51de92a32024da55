package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/internal/server/dashboard"
	"github.com/eke-bo/eke/internal/webhook"
)

// serveFlags says how to start a server, as it was typed.
type serveFlags struct {
	listen    string
	hosts     []string
	cert, key string
	insecure  bool
	lease     time.Duration
	rate      float64
	studies   int
	archived  int
	files     int64
	outputFor string
	quiet     bool
	attached  bool
	hook      hookFlags
}

func serveCommand(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the store's studies to workers, programs and browsers",
		Long: `Serve the store's studies over HTTP: to workers on other machines, to programs in any language, and to browsers. The API is
described in /openapi.json. The server suggests settings and keeps the ledger; it never runs a command.

On a loopback address, such as the default, everybody on this machine may do everything until you create a token. Once you have
created a token (eke token new), every request must carry one. Any other address needs a token and TLS files from the start,
or --insecure. That sends tokens and results unencrypted, so use it only on a network of your own, or behind a proxy with TLS.
--host says that a proxy passes requests on from other machines, so you need a token.

A trial that is asked for over HTTP is leased to the worker. A worker that is silent for longer than --lease loses it: the trial
is abandoned, and charged for the time until the worker was last heard from. A late result is still accepted, once.

With --webhook, the server posts new bests, trouble and the end of all studies to that address, as JSON that is signed with a secret.

On Ctrl-C or SIGTERM the server answers open requests and stops. Nothing is lost, however the server ends. Workers continue
when it is back.`,
		Example: `  eke serve
  eke token new --role admin && eke serve --listen 0.0.0.0:8420 --tls-cert cert.pem --tls-key key.pem
  eke serve --host eke.example.org      # behind a proxy on this machine
  eke serve --webhook https://chat.example.org/eke --webhook-secret secret.txt`,
		SuggestFor: []string{"server", "http", "dashboard", "ui", "web"},
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8420", "the `address` to listen on; port 0 means any free port")
	flags.StringSliceVar(&f.hosts, "host", nil, "another host `name` that the server answers to; repeat for more")
	flags.StringVar(&f.cert, "tls-cert", "", "the certificate, a PEM `file`; it is read again when it changes")
	flags.StringVar(&f.key, "tls-key", "", "its key, a PEM `file`")
	flags.BoolVar(&f.insecure, "insecure", false, "allow addresses other than loopback without TLS")
	flags.DurationVar(&f.lease, "lease", time.Minute, "how long a worker may be silent before it loses its trial")
	flags.Float64Var(&f.rate, "rate", 1000, "how many requests per second one client may send")
	flags.IntVar(&f.studies, "studies", 10_000, "how many studies there may be that are not archived")
	flags.IntVar(&f.archived, "archived", 100_000, "how many archived studies there may be")
	flags.Int64Var(&f.files, "files", 256, "how many `MiB` the output and the artifacts of one study's trials may take")
	flags.StringVar(&f.outputFor, "output-for", "reader", "the `role` from which on people may read what trials print and leave behind: reader, worker or admin")
	f.hook.add(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "log only problems, not requests")
	flags.BoolVar(&f.attached, "attached", false, "stop when standard input ends, as it does when the program that started the server is gone")
	return cmd
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?$`)

// check finds mistakes in the flags, before anything is opened.
func (f serveFlags) check() error {
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return usage("write: --listen 127.0.0.1:8420", "--listen is %q, which is not an address with a port", f.listen)
	}
	for _, name := range f.hosts {
		if !hostName.MatchString(name) {
			return usage("give a name only, such as eke.example.org", "--host is %q, which is not the name of a host", name)
		}
	}
	switch {
	case (f.cert == "") != (f.key == ""):
		return usage("give --tls-cert and --tls-key", "one TLS file is useless without the other")
	case f.cert != "" && f.insecure:
		return usage("leave one out", "--insecure and --tls-cert exclude each other")
	case f.lease < time.Second:
		return usage("give at least 1s", "--lease is %v", f.lease)
	case f.studies < 1 || f.archived < 1 || f.files < 1:
		return usage("give at least 1", "--studies is %d, --archived %d and --files %d", f.studies, f.archived, f.files)
	case !slices.Contains(server.Roles(), server.Role(f.outputFor)):
		return usage("give reader, worker or admin", "--output-for is %q", f.outputFor)
	case !(f.rate > 0) || f.rate > 1e9:
		return usage("give a number above 0", "--rate is %v", f.rate)
	}
	return nil
}

// allowed refuses to serve studies to other machines without protection.
func (f serveFlags) allowed(tokens int) error {
	alone := server.Loopback(f.listen)
	if alone && len(f.hosts) == 0 {
		return nil
	}
	why := f.listen + " can be reached from other machines"
	if alone {
		why = "--host says that a proxy passes requests on from other machines"
	}
	if tokens == 0 {
		return usage("create one first: eke token new --role admin", "%s, and there is no token yet, so anybody could use the studies", why)
	}
	if !alone && f.cert == "" && !f.insecure {
		return usage("give --tls-cert and --tls-key; or --insecure, if the network is yours alone or a proxy adds TLS",
			"%s, and tokens would be sent unencrypted", why)
	}
	return nil
}

func (a *app) serve(ctx context.Context, f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	var certificate *server.Certificate
	scheme := "http"
	if f.cert != "" {
		var err error
		if certificate, err = server.LoadCertificate(f.cert, f.key); err != nil {
			return wrong("give PEM files of a certificate and its key", "the TLS files cannot be used: %v", err)
		}
		scheme = "https"
	}
	secret, err := f.hook.check(f.insecure)
	if err != nil {
		return err
	}
	kept, tokens, err := a.tokens(ctx)
	if err != nil {
		return err
	}
	guarded, err := kept.Guarded(ctx)
	if err != nil {
		return err
	}
	if err := f.allowed(len(tokens)); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return wrong("another server may be running there; give another address: --listen 127.0.0.1:8421", "cannot listen on %s: %v", f.listen, err)
	}
	level := slog.LevelInfo
	if f.quiet {
		level = slog.LevelWarn
	}
	log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	var notify func(webhook.Notice)
	if f.hook.url != "" {
		sender := webhook.NewSender(f.hook.url, secret, log)
		defer sender.Close()
		notify = sender.Send
	}
	server.LimitMemory()
	s := server.New(server.Config{
		Store: a.opened, Listen: f.listen, Hosts: f.hosts, Lease: f.lease, Rate: f.rate, Version: buildOf().Version,
		Studies: f.studies, Archived: f.archived, FileRoom: f.files << 20, OutputFor: server.Role(f.outputFor),
		Dashboard: dashboard.Handler(),
		Log:       log, Notify: notify,
	})
	defer s.Close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM) // before anybody knows of the server: it may be told to end at once
	defer stop()
	if err := a.sayWhere(f, len(tokens), guarded, scheme, listener.Addr().String()); err != nil {
		return err
	}
	if f.attached {
		go func() {
			_, _ = io.Copy(io.Discard, a.in)
			stop()
		}()
	}
	return s.Serve(ctx, listener, certificate)
}

// sayWhere prints where the server is, and who may use it.
func (a *app) sayWhere(f serveFlags, tokens int, guarded bool, scheme, address string) error {
	page := scheme + "://" + pageHost(address) + "/"
	if len(f.hosts) > 0 {
		page = "https://" + f.hosts[0] + "/" // a proxy's
		if !server.Loopback(f.listen) {
			_, port, _ := net.SplitHostPort(address)
			page = scheme + "://" + net.JoinHostPort(f.hosts[0], port) + "/"
		}
	}
	return a.show(map[string]any{"listen": address, "url": page, "tokens": tokens}, func() {
		who := "a token is needed (eke token list)"
		switch {
		case tokens == 0 && guarded:
			who = "all tokens are revoked, so nobody can use it; make one: eke token new --role admin"
		case tokens == 0:
			who = "no token is needed, since only this machine can connect"
		}
		a.printf("listening on %s\nthe page: %s\n%s\n", address, page, who)
	})
}

// pageHost is where a browser finds a server that listens on every address.
func pageHost(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address
}
