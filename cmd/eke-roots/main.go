// Command eke-roots prints the certificates of the authorities that browsers trust, for the container, which has no system to take them from. The
// list is Mozilla's, in the version that go.sum pins. Authorities that are trusted for some certificates only are left out: a file cannot say
// for which.
package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"os"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eke-roots:", err)
		os.Exit(1)
	}
}

func write(w io.Writer) error {
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return err
		}
	}
	return nil
}
