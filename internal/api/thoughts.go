package api

import (
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// ForgetRequest has trials and known results ignored, or counted again.
type ForgetRequest struct {
	Trials []int  `json:"trials,omitempty" maxItems:"10000" doc:"The trials' numbers."`
	Known  []int  `json:"known,omitempty" maxItems:"10000" doc:"The numbers of known results, from 1."`
	Undo   bool   `json:"undo,omitempty" doc:"Let them count again."`
	Note   string `json:"note,omitempty" maxLength:"4000" doc:"Why they are ignored, or count again."`
}

// CorrectRequest corrects a trial that has ended. What is missing stays as it is.
type CorrectRequest struct {
	Value   *float64      `json:"value,omitempty" minimum:"-1e100" maximum:"1e100" doc:"What the trial returned. A trial without a value is done then."`
	Cost    *float64      `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What the trial cost."`
	Setup   *float64      `json:"setup,omitempty" minimum:"0" maximum:"1e15" doc:"The part of the cost that went into changes, if the study has a changeover."`
	Metrics study.Metrics `json:"metrics,omitempty" doc:"Other numbers that the trial reported, by name. The others stay as they are."`
	Failed  bool          `json:"failed,omitempty" doc:"The trial had no value."`
	Note    string        `json:"note,omitempty" maxLength:"4000" doc:"Why it is corrected."`
}

// RetryRequest has the settings of trials tried again.
type RetryRequest struct {
	Trials []int `json:"trials" minItems:"1" maxItems:"1000" doc:"The trials' numbers."`
}

// EnqueueRequest has a setting tried next.
type EnqueueRequest struct {
	Setting space.Setting `json:"setting" doc:"The value of each parameter, by name. A parameter with a default may be left out; the policy chooses the others that are."`
	Note    string        `json:"note,omitempty" maxLength:"4000"`
}

// Queue is what is to be tried next.
type Queue struct {
	Items []Item `json:"items"`
}

// Item is a setting that somebody wants to be tried.
type Item struct {
	Number  int           `json:"number" doc:"Items are numbered from 1."`
	Setting space.Setting `json:"setting"`
	Note    string        `json:"note,omitempty"`
	Retries int           `json:"retries,omitempty" doc:"The trial that is tried again."`
	Part    bool          `json:"part,omitempty" doc:"The setting leaves parameters out, which the policy chooses."`
}

// NewItems returns items as everybody may see them.
func NewItems(list []study.Item) []Item {
	items := make([]Item, len(list))
	for i, q := range list {
		items[i] = Item{q.Number, q.Setting, q.Note, q.Retries, q.Part}
	}
	return items
}

// Study returns an item as the log has it, as far as everybody may see it.
func (i Item) Study() study.Item {
	return study.Item{Number: i.Number, Setting: i.Setting, Note: i.Note, Retries: i.Retries, Part: i.Part}
}

// ArchiveRequest puts a study away, or takes it out again.
type ArchiveRequest struct {
	Undo bool `json:"undo,omitempty" doc:"Take it out again."`
}

// RenameRequest gives a study another name.
type RenameRequest struct {
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"The new name."`
}

// DeleteRequest deletes a study for good.
type DeleteRequest struct {
	Confirm string `json:"confirm" maxLength:"200" doc:"The study's name, again. Export the study first."`
}

// Deleted says that a study is gone.
type Deleted struct {
	Deleted string `json:"deleted" doc:"The study's name."`
}

// ImportRequest adds results that were obtained elsewhere.
type ImportRequest struct {
	Results []KnownResult `json:"results" minItems:"1" maxItems:"10000"`
	Charge  bool          `json:"charge,omitempty" doc:"Charge the study what the results cost."`
	DryRun  bool          `json:"dry_run,omitempty" doc:"Only say what would happen."`
}

// KnownResult is a result from elsewhere.
type KnownResult struct {
	Setting space.Setting `json:"setting" doc:"The value of each parameter, by name."`
	Value   float64       `json:"value" minimum:"-1e100" maximum:"1e100"`
	Cost    float64       `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What it cost. 0: nobody knows."`
	Metrics study.Metrics `json:"metrics,omitempty" doc:"The other numbers that it reported, by name."`
}

// Import is what an import came to.
type Import struct {
	Added   int       `json:"added" doc:"Results that are new."`
	Known   int       `json:"known" doc:"Results that were known already."`
	Charged float64   `json:"charged" doc:"What the study was charged."`
	Refused []Refusal `json:"refused" doc:"Results that the study does not allow. They were left out."`
}

// ImportFileRequest adds the results in a file.
type ImportFileRequest struct {
	File    string            `json:"file" minLength:"1" doc:"CSV with a header, a list of JSON objects, an export of eke, or an Optuna journal: its text."`
	Columns map[string]string `json:"columns,omitempty" doc:"For columns with other names: the parameter that each stands for, or value or cost, by the column's name."`
	Charge  bool              `json:"charge,omitempty" doc:"Charge the study what the results cost."`
	DryRun  bool              `json:"dry_run,omitempty" doc:"Only say what would happen. If columns are missing, say which."`
}

// ImportedFile is what the import of a file came to.
type ImportedFile struct {
	Form    string            `json:"form" doc:"What kind of file it is."`
	Rows    int               `json:"rows"`
	Columns []string          `json:"columns" doc:"The columns of the file."`
	Matched map[string]string `json:"matched" doc:"For each parameter, value and cost: the column it was read from."`
	Missing []string          `json:"missing" doc:"The parameters, or value, that no column was found for. Only a dry run comes this far."`
	Without int               `json:"without" doc:"Rows of trials that failed, were pruned or are not over."`
	LeftOut int               `json:"left_out" doc:"Rows that the study does not allow."`
	Refused []RefusedRow      `json:"refused" maxItems:"100" doc:"The first hundred of them."`
	Added   int               `json:"added" doc:"Results that are new."`
	Known   int               `json:"known" doc:"Results that were known already."`
	Charged float64           `json:"charged" doc:"What the study was charged."`
}

// RefusedRow says why a row was left out.
type RefusedRow struct {
	Where   string `json:"where" doc:"Where it is in the file, such as line 3."`
	Problem string `json:"problem"`
}

// Refusal says why a result was left out.
type Refusal struct {
	Index   int    `json:"index" doc:"Its place in the request, from 0."`
	Problem string `json:"problem"`
}
