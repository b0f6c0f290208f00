# Every target that people use has a line "target: ## what it does".
.DEFAULT_GOAL := help

# Pinned tools, run through the Go module proxy: nothing to install.
GOTESTSUM   = go run gotest.tools/gotestsum@v1.13.0
STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The race detector needs a C compiler.
RACE := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race)

# Where test results go for those who count them; see .ci/run.
RESULTS ?= $(CURDIR)/.cache/test

# Modules of their own keep other SDKs out of our go.mod.
MODULES = . conformance/peers bench

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## run all tests, with the race detector where a C compiler is
	@mkdir -p $(RESULTS)
	@for m in $(MODULES); do \
		echo "== $$m"; \
		(cd $$m && $(GOTESTSUM) --format pkgname-and-test-fails --jsonfile $(RESULTS)/$$(echo $$m | sed 's/^\.$$/main/; s,/,-,g').json -- $(RACE) ./...) || exit 1; \
	done

.PHONY: conformance
conformance: ## run the official suite against our server and our client
	go run ./conformance/suite

.PHONY: bench
bench: ## measure our client beside its peers, and write docs/performance.md
	cd bench && go run . -doc ../docs/performance.md

.PHONY: peers
peers: ## see whether the README's table of Go clients is true
	cd conformance/peers && go test -count=1 -v ./comparison

.PHONY: growth
growth: ## draw how cost grows with the work, as docs/growth.svg
	cd bench && go run . -growth ../docs/growth.svg -rounds 15

.PHONY: allocs
allocs: ## check what calls allocate against bench/testdata/allocs.txt
	cd bench && go test -count=1 -run TestAllocations .

.PHONY: demo
demo: ## connect to servers of both eras, over HTTP and stdio
	go run ./cmd/mcpera demo

.PHONY: cover
cover: ## show the coverage of the two packages that promise all of it
	go test -cover ./negotiation ./erecache

.PHONY: lint
lint: ## gofmt, go vet (also for Windows) and staticcheck
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt: $$out"; exit 1; fi
	@for m in $(MODULES); do echo "== $$m"; (cd $$m && go vet ./... && $(STATICCHECK) ./...) || exit 1; done
	GOOS=windows go vet ./...

# Each fuzz target for a while: FUZZTIME=10s or, in runs, 3000x.
FUZZTIME ?= 30s
.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (30s)
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r d; do \
		for f in $$(grep -h -o '^func Fuzz[A-Za-z0-9_]*' $$d/*_test.go | sed 's/func //'); do \
			echo "== $$d $$f"; \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$d || exit 1; \
		done; \
	done

# For so many minutes; the seed of the faults is printed, and SOAK_SEED sets it.
MINUTES ?= 3
.PHONY: soak
soak: ## many clients and random faults for MINUTES (3)
	SOAK=$(MINUTES)m go test $(RACE) -count=1 -timeout 0 -v -run '^TestSoak$$' ./conformance/soak

.PHONY: tidy
tidy: ## go mod tidy in every module
	@for m in $(MODULES); do (cd $$m && go mod tidy) || exit 1; done
