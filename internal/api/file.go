package api

// Limits of the files of trials.
const (
	MaxPart   = 256 << 10 // bytes in one upload
	MaxOutput = 2 << 20   // bytes that are kept of what a trial prints, on stdout and on stderr each
	MaxFile   = 16 << 20  // bytes of an artifact
)

// UploadRequest adds to a file of a trial.
type UploadRequest struct {
	Worker string `json:"worker" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker that has the trial."`
	Offset int64  `json:"offset" minimum:"0" maximum:"1e15" doc:"Where the data begins in the file."`
	Skip   bool   `json:"skip,omitempty" doc:"The data may begin behind the end of the file: what is missing was too much to be sent."`
	Data   []byte `json:"data" maxLength:"349528" doc:"At most 256 KiB, in base64."`
}

// Uploaded says how far a file is.
type Uploaded struct {
	Size int64 `json:"size" doc:"Where the file ends now. Go on from there; if it is less than was sent, send what is missing."`
}

// File is a file of a trial.
type File struct {
	Name string `json:"name" doc:"stdout and stderr are what the trial prints, environment is where it ran; others are artifacts."`
	Size int64  `json:"size" doc:"How many bytes were written."`
	Kept int64  `json:"kept" doc:"How many of them are kept."`
}

// Files are the files of a trial.
type Files struct {
	Files []File `json:"files"`
}

// Output is part of what a trial printed.
type Output struct {
	Text    string `json:"text" doc:"What was printed, as text."`
	Offset  int64  `json:"offset" doc:"Where the text begins."`
	Next    int64  `json:"next" doc:"Where to go on: the after of the next request."`
	Size    int64  `json:"size" doc:"How many bytes were printed."`
	Skipped int64  `json:"skipped" doc:"How many bytes before the text are not kept any more."`
}
