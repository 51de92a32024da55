package gen_test

// group is a section of the page: operations that belong together, and an example of their use from a shell. The examples of all
// groups run one after the other on one server.
type group struct {
	title, about string
	operations   []string // their IDs
	example      string
}

var groups = []group{
	{"Studies", "Create a study from its file, as YAML, or from JSON: `{\"yaml\": \"…\"}` or `{\"definition\": {…}}`. The answer names every mistake with its line, its column and a hint. " +
		"The same file, edited, changes a study that has begun: its budget, its parameters, when it stops, who is told. What a result and a cost mean stays as it is. " +
		"`GET /api/v1/studies/{study}` has the best result in the field `best` or, if there are several objectives, the front in the field `front`.",
		[]string{"list-studies", "create-study", "get-study", "get-definition", "change-study", "add-budget", "set-stop", "end-study"},
		`cat > kiln.yaml <<END
name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
budget: {total: 100, per_trial: 5}
parameters:
  heat: {type: float, min: 800, max: 1300}
  hours: {type: int, min: 1, max: 24}
END
call -H 'Content-Type: application/yaml' --data-binary @kiln.yaml "$EKE/studies"
call "$EKE/studies/kiln"
call --json '{"add": 20}' "$EKE/studies/kiln/budget"
call --json '{"stop": "never"}' "$EKE/studies/kiln/stop"
call "$EKE/studies/kiln/definition"
sed 's/total: 100/total: 150/' kiln.yaml | call -H 'Content-Type: application/yaml' --data-binary @- "$EKE/studies/kiln/definition"`},
	{"Work", "Ask, evaluate, tell. A trial that is asked for is leased to the worker. Send a heartbeat at least every third of `lease_seconds`, and stop the trial when the answer says `stop`. " +
		"A worker that is silent for longer than the lease loses its trial. Its late result still counts, once. `\"by_hand\": true` asks for a trial without a lease, for people. " +
		"If there is no trial, the answer is 409 with one of the codes `budget_spent`, `budget_pending` (ask again later: trials under way hold the rest), `not_worth`, `exhausted` and `closed`. " +
		"With an `Idempotency-Key`, you can repeat ask, tell and fail until there is an answer. Another request with the same key is refused (422). Of `wall`, and of a cost that is wall time, no more counts than has passed since the ask by the server's clock.",
		[]string{"ask", "heartbeat", "report", "tell", "fail", "cost"},
		`call -H "Idempotency-Key: $(uuidgen)" --json '{"worker": "oven-1", "count": 3}' "$EKE/studies/kiln/ask"
call --json '{"worker": "oven-1"}' "$EKE/studies/kiln/trials/1/heartbeat"
call -H "Idempotency-Key: $(uuidgen)" --json '{"value": 31.5, "cost": 3.4, "wall": 0.5}' "$EKE/studies/kiln/trials/1/tell"
call --json '{"cost": 1.2, "note": "the shelf broke"}' "$EKE/studies/kiln/trials/2/fail"
call --json '{"value": 28.1, "cost": 2.6}' "$EKE/studies/kiln/trials/3/tell"`},
	{"Settings and results of your own", "A setting in the queue is tried before any that the study would choose, under the same budget. A parameter with a default may be left out. " +
		"Results from elsewhere are free, unless they are to be charged; those that the study does not allow are listed and left out. A result is added once, however many requests have it; equal results in one request are repeats, and each is added.",
		[]string{"enqueue", "get-queue", "dequeue", "import-results", "import-file"},
		`call -H "Idempotency-Key: $(uuidgen)" --json '{"setting": {"heat": 1100, "hours": 8}, "note": "as last year"}' "$EKE/studies/kiln/queue"
call "$EKE/studies/kiln/queue"
call --json '{}' "$EKE/studies/kiln/queue/1/drop"
call --json '{"results": [{"setting": {"heat": 950, "hours": 6}, "value": 20, "cost": 2}], "dry_run": true}' "$EKE/studies/kiln/results"
call --json '{"file": "temperature,hours,strength\n950,6,20\n", "columns": {"temperature": "heat"}, "dry_run": true}' "$EKE/studies/kiln/import"`},
	{"Trials", "",
		[]string{"list-trials", "get-columns", "get-trial", "get-best", "get-why", "get-neighbours", "export", "get-log"},
		`call "$EKE/studies/kiln/trials?state=done&limit=100"
call "$EKE/studies/kiln/best"
call "$EKE/studies/kiln/trials/1/why"
call "$EKE/studies/kiln/trials/1/neighbours?count=3"
call -o kiln.csv "$EKE/studies/kiln/export?format=csv"`},
	{"Models", "What the models of value and cost have learnt. They need a few results first.",
		[]string{"get-insight", "get-slice", "get-heat", "get-rest"},
		`call "$EKE/studies/kiln/insight"
call "$EKE/studies/kiln/rest?add=20"
call --get --data-urlencode parameter=heat "$EKE/studies/kiln/slice"
call "$EKE/studies/kiln/heat?a=heat&b=hours&n=20"`},
	{"Second thoughts", "Each can be repeated: what is so already is left as it is. What was charged stays charged, whatever is forgotten; a correction replaces the charge and keeps the old figures in `was`. " +
		"A trial that is to be stopped ends when its worker sends the next heartbeat. While a study is paused, ask answers 503 with the code `paused`.",
		[]string{"forget", "correct", "retry", "stop-trial", "pause-study", "resume-study", "archive-study"},
		`call --json '{"trials": [1]}' "$EKE/studies/kiln/forget"
call --json '{"trials": [1], "undo": true}' "$EKE/studies/kiln/forget"
call --json '{"cost": 3.5, "note": "misread"}' "$EKE/studies/kiln/trials/1/correct"
call --json '{"trials": [2]}' "$EKE/studies/kiln/retry"
call --json '{}' "$EKE/studies/kiln/pause"
call --json '{}' "$EKE/studies/kiln/resume"`},
	{"Manage studies", "A list has at most 1,000 studies; `skip` and `limit` make pages of it. Notes are Markdown, as people wrote them: whoever shows them has to make them safe. " +
		"A copy has no trials; it may have the results of the other study, for free.",
		[]string{"label-study", "copy-study", "rename-study", "delete-study", "get-report"},
		`call "$EKE/studies?search=kiln&sort=changed&down=true&limit=20"
call --json '{"tags": ["autumn"], "notes": "The *second* oven."}' "$EKE/studies/kiln/labels"
call --json '{"name": "kiln-2", "changes": {"budget": {"total": 50}}, "results": true}' "$EKE/studies/kiln/copy"
call --json '{"name": "kiln-3"}' "$EKE/studies/kiln-2/rename"
call --json '{"confirm": "kiln-3"}' "$EKE/studies/kiln-3/delete"
call -o kiln.html "$EKE/studies/kiln/report"`},
	{"What trials leave behind", "Workers upload what a trial prints while it runs, and the files that it declares. Of stdout and stderr the first and the last megabyte are kept, of other files 16 MiB. " +
		"To follow a trial, send `after` with the `next` of the answer before. The server may keep these from readers.",
		[]string{"upload", "list-files", "read-output", "get-file"},
		`call --json '{"worker": "oven-1", "offset": 0, "data": "aGVsbG8K"}' "$EKE/studies/kiln/trials/1/files/stdout"
call "$EKE/studies/kiln/trials/1/files"
call "$EKE/studies/kiln/trials/1/files/stdout/text?after=0"
call -o stdout "$EKE/studies/kiln/trials/1/files/stdout"`},
	{"Tokens", "A token with a group is for the studies of that group only; others do not exist to it, except that their names are taken. The owner of a study, the token that created it, may do with it what an admin may. " +
		"Once there has been a token, every request needs one: revoking the last one closes the server.",
		[]string{"get-me", "list-tokens", "create-token", "revoke-token"},
		`call "$EKE/me"
call "$EKE/tokens"
# call --json '{"role": "worker", "name": "cluster", "group": "physics"}' "$EKE/tokens"
# call --json '{}' "$EKE/tokens/2819eea8/revoke"`},
	{"Changes as they happen", "Server-sent events. `change` comes at once, and again after every change; its id is the version of the study. `ping` comes every 15 seconds. " +
		"After a gap, send `Last-Event-ID` to get what you missed.",
		[]string{"listen"},
		`call -N --max-time 1 -H 'Last-Event-ID: 0' "$EKE/studies/kiln/events" || true   # without --max-time it does not end`},
	{"The server", "`/metrics` is for Prometheus and needs the role reader. A token with a group gets the figures of its studies only. `/openapi.json` and `/openapi.yaml` describe this interface.",
		[]string{"health", "ready"},
		`call "${EKE%/api/v1}/healthz"
call "${EKE%/api/v1}/readyz"
call "${EKE%/api/v1}/metrics"
call --json '{}' "$EKE/studies/kiln/end"`},
}
