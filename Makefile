# The README's two commands are `make demo` and `make test`; everything else is a part of them.

# Tools are fetched through the Go module proxy. These versions are the newest that can be had there whole.
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
DEADCODE = golang.org/x/tools/cmd/deadcode@v0.52.0
GOVULNCHECK = v1.8.0
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.13.0

# Packages that start goroutines: their tests run once more under the race detector.
CONCURRENT = ./store ./internal/broker ./internal/engine/local ./internal/runner ./internal/source ./internal/view

# The product is built and tested by its own go.mod. go.work is for whoever works on it and on the benchmarks at once.
export GOWORK ?= off

# What is built does not depend on the folder, so that a fresh clone need not compile again what another has compiled. All tests run each time, though: -count=1.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)

# Properties are tested with drawn input. Here it is always the same, so that a run does not depend on luck; go test alone draws anew, and so does RAPID_SEED=0.
export RAPID_SEED ?= 1

.PHONY: demo docs pictures wheels container release release-snapshot release-short reproducible test stages check fmt vet lint dead vulnerabilities page openapi-lint unit postgres chromium optuna \
	flakes kills test-slurm kill-slurm crowd-slurm test-kubernetes kill-kubernetes crowd-kubernetes fallback race race-server race-policy race-rest unit-browser page-browser unit-bench bench rivals

demo: bin/eke ## tune a small network for 15 seconds of training, and draw the results
	@rm -rf build/demo && mkdir -p build/demo
	PATH="$(CURDIR)/bin:$$PATH" eke --db build/demo/eke.db run examples/quickstart/study.yaml
	bin/eke --db build/demo/eke.db report -o build/demo/report.html --png build/demo/pictures

.PHONY: bin/eke
bin/eke: ## one static binary
	CGO_ENABLED=0 go build -trimpath -o bin/eke ./cmd/eke

wheels: ## Python wheels with the binary and the client, for every system, in build/wheels
	scripts/wheels

release-snapshot: ## all that a release contains, from this commit, in build/release; building goreleaser itself takes up to an hour, once
	go run $(GORELEASER) release --snapshot --clean

release: ## publishes a release from a tag, signed with the key in the file $$EKE_SIGNING_KEY
	go run $(GORELEASER) release --clean

release-short: ## the same for this system alone, in seconds and without goreleaser: packs it, signs it, verifies and unpacks it, and looks at it
	scripts/release-short

container: ## the image of deploy/Containerfile, with podman, docker or buildah; needs no registry
	scripts/container

docs: ## a website of the documents, in build/site; it needs no network, and neither does reading it
	go run ./cmd/eke-docs

pictures: bin/eke ## draws the pictures in docs/pictures again; needs Chromium, Python and a C compiler, and a machine that is idle
	scripts/pictures

reproducible: ## two builds in two folders are equal byte for byte; says how large the program is
	scripts/reproducible

# Slurm's tests wait for its timers most of the time, so they run beside all others. Those run three at a time, since
# tests of the service wait as long as they work, and what each says is printed when it has ended. The linter vets, too. What has to be installed is installed first, as apt-get does one thing at a time.
test: ## everything CI runs
	scripts/postgres install && scripts/chromium && scripts/optuna && scripts/slurm install
	scripts/beside $(MAKE) --no-print-directory test-slurm -- $(MAKE) --no-print-directory -j3 --output-sync=target needs= stages

# The longest come first. A target that waits for another one would begin after all others, so what is installed already is not waited for.
# The tests of the page in a browser need what the check of the page installs, so the two are one part.
stages: fmt unit page-browser lint unit-bench race-server race-policy race-rest fallback dead vulnerabilities reproducible release-short

check: fmt vet lint dead vulnerabilities

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt-ed:"; echo "$$out"; exit 1; fi

vet:
	go vet ./...
	go -C bench vet ./...
	go -C internal/server/browser vet ./...

lint: ## what .golangci.yml lists, staticcheck among it
	GOWORK= go run $(GOLANGCI_LINT) run ./... ./bench/... ./internal/server/browser/...

dead: ## functions that nothing calls, tests included
	@out=$$(GOWORK= go run $(DEADCODE) -test ./... ./bench/... ./internal/server/browser/...) || exit 1; out=$$(echo "$$out" | grep -v 'func: Example'); if [ -n "$$out" ]; then echo "nothing calls these:"; echo "$$out"; exit 1; fi

vulnerabilities: ## known ones in what is called; where their database cannot be had, it says so
	scripts/vulnerabilities $(GOVULNCHECK)

page: ## the page's types, unit tests and dist; left out where there is no node
	scripts/page

# It is not a part of make test: to install the linter takes half a minute, and the description is generated.
openapi-lint: ## the description of the HTTP interface, with Redocly's linter; where that cannot be had, it says so
	scripts/openapi

# What the tests need to be installed; make test has seen to it before.
needs ?= postgres optuna chromium

unit: $(filter postgres optuna,$(needs)) ## with a PostgreSQL for as long as the tests run
	scripts/postgres run go test -count=1 -vet=off -p 3 -timeout 60m ./...

unit-browser: $(filter chromium,$(needs)) ## the page in a browser
	go -C internal/server/browser test -count=1 -vet=off -timeout 60m ./...

page-browser:
	scripts/page
	go -C internal/server/browser test -count=1 -vet=off -timeout 60m ./...

unit-bench: ## the benchmarks' own tests
	go -C bench test -count=1 -vet=off -timeout 60m ./...

flakes: postgres chromium optuna ## repeats the tests that wait, or start processes, alone and beside a load; takes hours. PACKAGES and scripts/flakes's variables choose some
	scripts/postgres run scripts/flakes $(PACKAGES)

postgres: ## see that PostgreSQL is on this machine; where it cannot be had, its tests are left out
	scripts/postgres install

chromium: ## the same for the browser that the page is tested in
	scripts/chromium

optuna: ## the same for Optuna, whose studies are imported
	scripts/optuna

test-slurm: ## the Slurm engine on a real Slurm of its own; where that cannot be had, it says so
	scripts/slurm run go test -count=1 -short -parallel 20 -timeout 20m ./internal/engine/slurm

kills: postgres ## kills servers, workers, runs and trials 1,000 times while studies are deleted, renamed, begun anew, copied and restored; takes some minutes
	EKE_KILLS=250 scripts/postgres run go test -count=1 -v -run 'TestKillNamesakes$$' -timeout 60m ./cmd/eke

kill-slurm: ## kills the controller, slurmctld, slurmdbd and jobs 200 times; takes a quarter of an hour
	EKE_TEST_SLURM_KILLS=200 scripts/slurm run go test -count=1 -v -run 'TestKills$$' -timeout 60m ./internal/engine/slurm

crowd-slurm: ## 500 trials, 50 at once, chosen in three ways, and what the controller takes of a core; takes a quarter of an hour
	for policy in random listed auto; do EKE_TEST_SLURM_CROWD="500 50 30s $$policy" scripts/slurm run go test -count=1 -v -run 'TestCrowd$$' -timeout 60m ./internal/engine/slurm || exit 1; done

test-kubernetes: ## the Kubernetes engine on a real control plane of its own, with nodes of the tests; building the control plane takes some 40 minutes, once
	scripts/kubernetes build
	scripts/kubernetes run go test -count=1 -v -run '^TestReal' -timeout 60m ./internal/engine/kubernetes

kill-kubernetes: ## kills the controller, the control plane's parts, nodes' agents, nodes and pods 200 times, with evictions, deletions and duplicates; takes a quarter of an hour
	scripts/kubernetes build
	EKE_TEST_KUBERNETES_KILLS=200 scripts/kubernetes run go test -count=1 -v -run 'TestRealKills$$|TestRealNodesDie$$|TestRealTroubles$$/away' -timeout 60m ./internal/engine/kubernetes

crowd-kubernetes: ## 500 trials of 40 seconds, 50 at once, what the controller asks the API server, and what it takes of a core; takes eight minutes
	scripts/kubernetes build
	EKE_TEST_KUBERNETES_CROWD="500 50 40" scripts/kubernetes run go test -count=1 -v -run 'TestRealCrowd$$' -timeout 60m ./internal/engine/kubernetes

# Without assembly large models take ten times as long. Whatever calls the assembly itself is tested whole, the rooms above by the tests that compare figures.
fallback: ## the numbers once more without assembly
	EKE_NOSIMD=1 go test -vet=off -count=1 -short ./internal/simd ./gp ./acq
	EKE_NOSIMD=1 go test -vet=off -count=1 -short -run 'Golden|Gradient|Equal|Twin|Paper|Overflow|Suggest' -skip 'TestSuggestionMemory' ./lookahead ./internal/model ./internal/choose ./internal/looks ./internal/rest ./policy

# A program with the race detector sleeps for a second at its end, for reports of its last moments. Tests start hundreds of such programs as
# the commands of trials.
race race-server race-policy race-rest: export GORACE = atexit_sleep_ms=20

race: race-server race-policy race-rest ## needs a C compiler, which the race detector is built with

race-server: $(filter postgres,$(needs))
	CGO_ENABLED=1 scripts/postgres run go test -count=1 -vet=off -race -short -timeout 60m -run 'Operation|Stream|Lease|Watch|Event|Crowd|Key|Kill|Shutdown|Model' ./internal/server

race-policy:
	CGO_ENABLED=1 go test -count=1 -vet=off -race -short -timeout 60m -run 'Threads|Cancelled|Concurrent|Equal|RolloutsShare|MemoryChanges' -skip 'TestMemoryChangesNothing/many' ./policy ./internal/model ./internal/choose ./internal/looks ./internal/rest ./internal/compare

race-rest:
	CGO_ENABLED=1 go test -count=1 -vet=off -race -short -timeout 60m -run 'Run|Concurrent|Ask|Study' .
	CGO_ENABLED=1 go test -count=1 -vet=off -race -short -timeout 60m $(CONCURRENT)
	CGO_ENABLED=1 go -C bench test -count=1 -vet=off -race -short -timeout 60m ./campaign

bench:
	go test -run '^$$' -bench . -benchmem ./internal/... ./gp ./acq ./lookahead ./policy

rivals: ## plays the other optimisers of bench/rivals and eke on LCBench and the suite, and draws; takes days. bench/rivals/play has variables that choose a part
	bench/rivals/play
