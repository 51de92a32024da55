package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/eke-bo/eke/study"
)

// Notice is what is told.
type Notice struct {
	Event study.Notice `json:"event"`
	Study string       `json:"study"`
	Text  string       `json:"text"`
	Trial any          `json:"trial,omitempty"`
}

// The headers of a notice. The ID is the same each time a notice is tried, so that a receiver can tell that it has it already.
const (
	timestampHeader = "Eke-Timestamp"
	signatureHeader = "Eke-Signature"
	idHeader        = "Eke-Delivery"
)

// Sign returns the signature of a body that is sent at a time, given in Unix seconds. It proves to whoever knows the secret that the body
// is ours, and when it was sent.
func Sign(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Refused is the answer of a receiver that does not take a notice.
type Refused struct{ Status int }

func (r *Refused) Error() string {
	return fmt.Sprintf("it answered %d %s", r.Status, http.StatusText(r.Status))
}

// passes says whether the same notice may be taken later.
func (r *Refused) passes() bool {
	return r.Status >= 500 || r.Status == http.StatusRequestTimeout || r.Status == http.StatusTooEarly || r.Status == http.StatusTooManyRequests
}

// client follows no redirects: a notice goes where it was sent, and nowhere else.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Post sends a body, once. Without a secret it is not signed. An error does not name the address, which may have a secret of its own.
func Post(ctx context.Context, address, secret, id string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("it is not an address")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "eke")
	if id != "" {
		r.Header.Set(idHeader, id)
	}
	if secret != "" {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		r.Header.Set(timestampHeader, at)
		r.Header.Set(signatureHeader, Sign(secret, at, body))
	}
	answer, err := client.Do(r)
	if sending, ok := errors.AsType[*url.Error](err); ok {
		err = sending.Err
	}
	if err != nil {
		return fmt.Errorf("it cannot be reached: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return &Refused{answer.StatusCode}
	}
	return nil
}
