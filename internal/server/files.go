package server

import (
	"context"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// fileOperations are about what trials print and leave behind.
func (s *Server) fileOperations(h huma.API) {
	files := "/studies/{study}/trials/{number}/files"
	reply(s, h, operation(http.MethodGet, files, "list-files", "List the files of a trial", s.config.OutputFor), ofStudy(s, s.listFiles))
	reply(s, h, onTrial("/files/{name}", "upload", "Add to a file of a trial"), ofStudy(s, s.upload))
	reply(s, h, operation(http.MethodGet, files+"/{name}/text", "read-output", "Read a file of a trial as text, while it grows", s.config.OutputFor), ofStudy(s, s.readOutput))
	whole := s.long(files+"/{name}", "get-file", "Get a file of a trial", s.config.OutputFor)
	whole.Responses = map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{
		"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}}
	register(s, h, whole, ofStudy(s, s.getFile))
}

// OfFile is the input of every operation on a file.
type OfFile struct {
	OfTrial
	Name string `path:"name" maxLength:"200" doc:"The file's name."`
}

func (s *Server) listFiles(ctx context.Context, in *OfTrial, _ *openStudy, r *study.Record) (list api.Files, err error) {
	if _, err := r.Trial(in.Number); err != nil {
		return list, err
	}
	kept, err := s.keepsFiles()
	if err != nil {
		return list, err
	}
	files, err := kept.Files(ctx, in.Study, in.Number)
	list.Files = []api.File{}
	for _, f := range files {
		list.Files = append(list.Files, api.File{Name: f.Name, Size: f.Size, Kept: f.Kept})
	}
	return list, err
}

type uploadInput struct {
	OfFile
	Body api.UploadRequest
}

// upload adds to a file of a trial, for whoever has the trial, or had it last.
func (s *Server) upload(ctx context.Context, in *uploadInput, o *openStudy, r *study.Record) (done api.Uploaded, err error) {
	t, err := s.ownTrial(ctx, o, r, in.OfTrial)
	if err != nil {
		return done, err
	}
	if t.Runner != leasePrefix+in.Body.Worker {
		return done, fault.New(fault.Conflict, "", "trial %d does not belong to this worker", t.Number)
	}
	if len(in.Body.Data) > api.MaxPart {
		return done, api.Invalid("body.data", "this is more than %d bytes; send less at once", api.MaxPart)
	}
	kept, err := s.keepsFiles()
	if err != nil {
		return done, err
	}
	limits := store.FileLimits{Keep: api.MaxOutput, Most: s.config.FileRoom, Skip: in.Body.Skip && isOutput(in.Name)}
	if !isOutput(in.Name) { // of a picture, half is of no use
		limits.Keep = api.MaxFile
		if in.Body.Offset+int64(len(in.Body.Data)) > api.MaxFile {
			return done, api.NewProblem(fault.TooLarge, "", "an artifact is at most %d bytes large", api.MaxFile)
		}
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	done.Size, err = kept.AppendFile(ctx, in.Study, store.File{Trial: in.Number, Name: in.Name}, in.Body.Offset, in.Body.Data, limits)
	return done, inBody("path.name", err)
}

type outputInput struct {
	OfFile
	After int64 `query:"after" minimum:"0" maximum:"1e15" doc:"Only what comes after this many bytes."`
	Last  int64 `query:"last" minimum:"0" maximum:"1000000" doc:"Only the last this many bytes, if that is less."`
}

// mostText is how much of a file one answer has.
const mostText = 512 << 10

func (s *Server) readOutput(ctx context.Context, in *outputInput, _ *openStudy, r *study.Record) (out api.Output, err error) {
	t, err := r.Trial(in.Number)
	if err != nil {
		return out, err
	}
	kept, err := s.keepsFiles()
	if err != nil {
		return out, err
	}
	from := in.After
	if in.Last > 0 {
		f, _, err := kept.ReadFile(ctx, in.Study, in.Number, in.Name, 0, 0)
		if err != nil {
			return out, err
		}
		from = max(from, f.Size-in.Last)
	}
	f, parts, err := kept.ReadFile(ctx, in.Study, in.Number, in.Name, from, mostText)
	if err != nil {
		return out, err
	}
	out = api.Output{Offset: from, Next: max(from, 0), Size: f.Size}
	var text strings.Builder
	for i, p := range parts {
		begin := max(from-p.Offset, 0)
		switch at := p.Offset + begin; {
		case i == 0:
			out.Offset, out.Skipped = at, max(at-from, 0)
		case at != out.Next:
			out.Text = strings.ToValidUTF8(text.String(), "\ufffd")
			return out, nil // what follows the gap comes with the next request
		}
		text.Write(p.Data[begin:])
		out.Next = p.Offset + int64(len(p.Data))
	}
	whole := text.Len() - unfinished(text.String())
	if out.Next == out.Size && t.State.Ended() || whole == 0 && out.Next < out.Size {
		whole = text.Len() // its rest never comes, or would not fit
	}
	out.Next -= int64(text.Len() - whole)
	out.Text = strings.ToValidUTF8(text.String()[:whole], "\ufffd")
	return out, nil
}

// unfinished is how many bytes at the end of a text begin a character whose rest is missing.
func unfinished(text string) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRuneInString(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// isOutput reports whether a file is what a trial prints.
func isOutput(name string) bool { return name == "stdout" || name == "stderr" }

// pictures are the files that a browser may show. It must take all others for downloads: a page among them could act in the name of
// whoever opens it.
var pictures = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

func (s *Server) getFile(ctx context.Context, in *OfFile, _ *openStudy, r *study.Record) (*fileOutput, error) {
	if _, err := r.Trial(in.Number); err != nil {
		return nil, err
	}
	kept, err := s.keepsFiles()
	if err != nil {
		return nil, err
	}
	_, parts, err := kept.ReadFile(ctx, in.Study, in.Number, in.Name, 0, api.MaxFile)
	if err != nil {
		return nil, err
	}
	out := &fileOutput{ContentType: "application/octet-stream", Sandbox: "sandbox; default-src 'none'"}
	shown := "attachment"
	if picture := pictures[strings.ToLower(path.Ext(in.Name))]; picture != "" {
		out.ContentType, shown = picture, "inline"
	}
	out.ContentDisposition = mime.FormatMediaType(shown, map[string]string{"filename": in.Name})
	for _, p := range parts {
		out.Body = append(out.Body, p.Data...)
	}
	return out, nil
}

type fileOutput struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	Sandbox            string `header:"Content-Security-Policy"`
	Body               []byte
}

func (s *Server) keepsFiles() (store.Files, error) {
	kept, ok := s.store.files()
	if !ok {
		return nil, fault.New(fault.Conflict, "", "this store cannot keep files")
	}
	return kept, nil
}
