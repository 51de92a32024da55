package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/server"
)

// filesOf writes a certificate and its key as PEM files.
func filesOf(t *testing.T, c tls.Certificate) (cert, key string) {
	t.Helper()
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	raw, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, cert, "CERTIFICATE", c.Certificate[0])
	writePEM(t, key, "PRIVATE KEY", raw)
	return cert, key
}

func writePEM(t *testing.T, file, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// selfSigned makes a certificate with that number.
func selfSigned(t *testing.T, number int64) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// A certificate that is renewed while the server runs is what new connections get; half a renewal changes nothing.
func TestRenewedCertificate(t *testing.T) {
	t.Parallel()
	cert, key := filesOf(t, selfSigned(t, 1))
	certificate, err := server.LoadCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := really(t, certificate)
	shown := func() int64 {
		c, err := tls.Dial("tcp", strings.TrimPrefix(g.url, "http://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if n := shown(); n != 1 {
		t.Fatalf("certificate %d", n)
	}
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	if r, err := trusting.Get(strings.Replace(g.url, "http://", "https://", 1) + "/healthz"); err != nil || r.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("no HSTS with TLS: %v, %v", r, err)
	}
	newCert, newKey := filesOf(t, selfSigned(t, 2))
	if err := os.Rename(newCert, cert); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond) // it has been looked at
	if n := shown(); n != 1 {
		t.Errorf("certificate %d with another's key", n)
	}
	if err := os.Rename(newKey, key); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return shown() == 2 })
	if _, err := server.LoadCertificate(cert, cert); err == nil {
		t.Error("a certificate was taken for a key")
	}
}
