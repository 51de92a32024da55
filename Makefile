# The README's two commands are `make demo` and `make test`; everything else is a part of them.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Packages that start goroutines: their tests run once more under the race detector.
CONCURRENT = . ./policy ./desk ./store ./evaluator

.PHONY: demo test check fmt vet static unit fallback race bench

demo: ## spend a budget on a small problem with unequal costs, and draw it
	go run ./examples/quickstart

test: check unit fallback race ## everything CI runs

check: fmt vet static

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt-ed:"; echo "$$out"; exit 1; fi

vet:
	go vet ./...

static:
	go run $(STATICCHECK) ./...

unit:
	go test ./...

fallback: ## the numbers once more without assembly
	EKE_NOSIMD=1 go test -count=1 ./internal/simd ./gp ./acq ./lookahead ./policy

race: ## needs a C compiler, which the race detector is built with
	CGO_ENABLED=1 go test -race -short $(CONCURRENT)

bench:
	go test -run '^$$' -bench . -benchmem ./internal/... ./gp ./acq ./lookahead ./policy
