package browser_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
)

// print sends part of what a trial prints, or of a file of it, as a worker does.
func (s *served) print(trial int, file string, offset int, text string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"worker": "oven-1", "offset": offset, "data": base64.StdEncoding.EncodeToString([]byte(text))})
	if err == nil {
		err = s.post(fmt.Sprintf("/studies/net/trials/%d/files/%s", trial, file), "application/json", body, nil)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// pixel is the smallest picture.
const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x04\x00\x00\x00\xb5\x1c\x0c\x02\x00\x00\x00\x0bIDATx\xdacd\xf8\x0f\x00\x01\x05\x01\x01'\x18\xe3f\x00\x00\x00\x00IEND\xaeB`\x82"

// What a trial prints is shown while it runs and afterwards, as text; so are its pictures and where it ran.
func TestOutputIsShownLive(t *testing.T) {
	s := serve(t)
	s.create(net1)
	trial, err := s.ask("net")
	if err != nil {
		t.Fatal(err)
	}
	first := "epoch 1 <b>loss</b> 0.9\n"
	s.print(1, "stdout", 0, first)
	p := s.open("/studies/net/trials?trial=1")
	p.wait(at("output-text") + "?.textContent === " + fmt.Sprintf("%q", first))
	p.is(at("output-text")+".querySelectorAll('b').length", 0)
	s.print(1, "stdout", len(first), "epoch 2 loss 0.7\n")
	p.wait(at("output-text") + ".textContent.endsWith('epoch 2 loss 0.7\\n')") // by itself
	s.print(1, "stderr", 0, "a warning\n")
	s.print(1, "environment", 0, `{"host": "oven-1"}`)
	s.print(1, "curve.png", 0, pixel)
	if err := s.tell("net", trial); err != nil {
		t.Fatal(err)
	}
	p.see("output-of", "artifacts")
	p.wait(at("artifacts") + ".querySelector('img')?.naturalWidth === 1")
	p.eval(at("output-of") + ".querySelectorAll('button')[1].click()")
	p.wait(at("output-text") + ".textContent === 'a warning\\n'")
	p.shoot("output")
	p.quiet()
}
