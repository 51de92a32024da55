package study

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Notify says who is told what happens in a run.
type Notify struct {
	Command []string `json:"command,omitempty"` // Command is a program and its arguments. It gets the news as JSON on stdin.
	URL     string   `json:"url,omitempty"`     // URL is where the news is posted as JSON.
	On      []Notice `json:"on,omitempty"`      // On lists what they are told of; if it is empty, of everything.
}

// Notice is a kind of news.
type Notice string

const (
	NoticeBest    Notice = "best"    // NoticeBest says that there is a new best result.
	NoticeEnd     Notice = "end"     // NoticeEnd says that a run has ended.
	NoticeTrouble Notice = "trouble" // NoticeTrouble says that something is wrong, such as a full disk, or trials that fail.
)

var notices = []string{string(NoticeBest), string(NoticeEnd), string(NoticeTrouble)}

// Wants reports whether somebody wants to know.
func (n *Notify) Wants(what Notice) bool {
	return n != nil && (len(n.On) == 0 || slices.Contains(n.On, what))
}

func (r *reader) readNotify(n *node) *Notify {
	f, ok := r.fields(n, "notify", notifyKeys, `write notify: {command: ["notify-send", "eke"]}, or {url: https://…}`)
	if !ok {
		return nil
	}
	out := &Notify{}
	if c := f.m["command"]; c != nil {
		items, _ := r.list(c, "notify.command", `write command: ["notify-send", "eke"]`)
		for i, item := range items {
			if text, ok := r.text(item, fmt.Sprintf("notify.command[%d]", i)); ok {
				out.Command = append(out.Command, text)
			}
		}
	}
	if address, ok := r.text(f.m["url"], "notify.url"); ok {
		if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			r.fail(f.m["url"].at, "notify.url", "write it like https://ntfy.example.org/kiln", "url is %s, which is not an address", quoteShort(address))
		}
		out.URL = address
	}
	items, _ := r.list(f.m["on"], "notify.on", "write on: [best, end, trouble]")
	for i, item := range items {
		if word, ok := r.word(item, fmt.Sprintf("notify.on[%d]", i), notices); ok {
			out.On = append(out.On, Notice(word))
		}
	}
	if f.m["command"] == nil && f.m["url"] == nil {
		r.fail(n.keyAt, "notify", "give a command, a url, or both", "notify does not say whom to tell")
	}
	return out
}

// formatNotify writes it so that it reads back as the same.
func formatNotify(n *Notify) string {
	var parts []string
	if len(n.Command) > 0 {
		words := make([]string, len(n.Command))
		for i, word := range n.Command {
			words[i] = quoteText(word)
		}
		parts = append(parts, "command: ["+strings.Join(words, ", ")+"]")
	}
	if n.URL != "" {
		parts = append(parts, "url: "+strconv.Quote(n.URL))
	}
	if len(n.On) > 0 {
		words := make([]string, len(n.On))
		for i, word := range n.On {
			words[i] = string(word)
		}
		parts = append(parts, "on: ["+strings.Join(words, ", ")+"]")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
