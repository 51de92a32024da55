package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"testing"
)

// What is printed is read as certificates, all of them.
func TestWrite(t *testing.T) {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	read := 0
	for block, rest := pem.Decode(out.Bytes()); block != nil; block, rest = pem.Decode(rest) {
		if c, err := x509.ParseCertificate(block.Bytes); err != nil || !c.IsCA {
			t.Errorf("certificate %d: %v", read, err)
		}
		read++
	}
	if read < 50 {
		t.Errorf("there are only %d", read)
	}
}
