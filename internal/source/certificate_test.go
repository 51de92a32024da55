package source_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/study"
)

func selfSigned(t *testing.T, until time.Time) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// When the server's certificate is not to be trusted any more the worker ends, but what it knows stays in the journal, and is told
// by the next one.
func TestCertificateExpires(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
	h.create(strings.Replace(reported, "total: 10", "total: 2", 1), `sleep 0.3; echo "{\"strength\": 1, \"cost\": 2}"`)
	s := server.New(server.Config{Store: h.store, Rate: 1e6})
	defer s.Close()
	good, expired := selfSigned(t, time.Now().Add(time.Hour)), selfSigned(t, time.Now().Add(-time.Hour))
	var shown atomic.Pointer[tls.Certificate]
	shown.Store(good)
	secure := httptest.NewUnstartedServer(s)
	secure.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: []tls.Certificate{*shown.Load()}}, nil
	}}
	secure.Config.SetKeepAlivesEnabled(false) // every request sees the certificate
	secure.StartTLS()
	defer secure.Close()

	var told heard
	told.on = func(n runner.News) {
		if n.Kind == runner.Started {
			shown.Store(expired)
		}
	}
	c := h.config("kiln", &told)
	var err error
	c.Source, err = at(api.NewClient(api.Config{URL: secure.URL, CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: good.Certificate[0]})}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v\n%s", err, &told)
	}
	if left := unsettled(t, c); len(left) != 1 || strings.Contains(left[0], "refused") {
		t.Errorf("left: %v\n%s", left, &told)
	}
	shown.Store(good)
	if _, err := runner.Run(t.Context(), c); err != nil || told.kinds(runner.Recovered) != 1 {
		t.Errorf("%v\n%s", err, &told)
	}
	if trials := h.record("kiln").Trials; len(trials) != 1 || trials[0].State != study.Done || len(unsettled(t, c)) > 0 {
		t.Errorf("%+v", trials)
	}
}
