# Needs make and Python >= 3.11; everything else is set up here. Repeated runs only do what changed.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN = .venv/bin
SETUP = .venv/.stamp
SOURCES = layers functions tests docs
GENERATED = statemachines/*.json tests/golden/definitions/*.json tests/golden/canvas/*.yaml docs/diagnostics/*.md docs/errors/*.md docs/nodes/*.md docs/cookbook/*.md docs/pictures/*.svg docs/plan.schema.json

.PHONY: setup demo demo-canvas test test-browser test-deployed check format golden bench chaos starts breaking fuzz lock docs deploy clean

AUDIT = .local/audit/.stamp
GUIDED = .local/fuzz/.stamp

setup: $(SETUP)

$(SETUP): requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed (make PYTHON=/path/to/python3)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/dev.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(AUDIT): requirements/audit.txt
	@test -x .local/audit/bin/python || $(BIN)/python -m venv .local/audit
	@.local/audit/bin/python -m pip install -q --disable-pip-version-check -r requirements/audit.txt
	@touch $@

SITE = .local/docs/.stamp

$(SITE): requirements/docs.txt
	@test -x .local/docs/bin/python || $(BIN)/python -m venv .local/docs
	@.local/docs/bin/python -m pip install -q --disable-pip-version-check -r requirements/docs.txt
	@touch $@

demo: $(SETUP)
	@$(BIN)/loopstep demo

demo-canvas: $(SETUP)
	@$(BIN)/loopstep demo --canvas

# STRICT=1: on the local cloud that enforces AWS's rules
test: $(SETUP)
	@$(BIN)/python tests/run.py $(if $(STRICT),--strict) $(PYTEST)

# the console in a real browser alone (needs chromium, node, npm); pictures of what was seen: .local/browser/pictures
test-browser: $(SETUP)
	@cd tests/browser && npm ci --no-audit --no-fund --ignore-scripts --silent
	@$(BIN)/python tests/run.py -n 2 --dist loadfile tests/browser $(PYTEST)

# a stack deployed to AWS, by its API alone: make test-deployed URL=https://… KEY=…
DEPLOYED = tests/conformance/test_cases.py tests/stack/test_plans.py tests/stack/test_people.py tests/stack/test_seed_example.py
test-deployed: $(SETUP)
	@LOOPSTEP_TEST_URL=$(URL) LOOPSTEP_TEST_API_KEY=$(KEY) $(BIN)/python -m pytest -n0 $(DEPLOYED) $(PYTEST)

check: $(SETUP) $(AUDIT)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	@before=$$(cat $(GENERATED) | cksum); $(MAKE) --no-print-directory golden >/dev/null; \
	  [ "$$before" = "$$(cat $(GENERATED) | cksum)" ] || { echo "Generated files were stale. They are written now."; exit 1; }
	@.local/audit/bin/python tests/audit.py
	@$(MAKE) --no-print-directory docs
	@$(BIN)/python tests/run.py --lint $(PYTEST)

format: $(SETUP)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

golden: $(SETUP)
	$(BIN)/python -m tests.golden.definitions
	$(BIN)/python -m tests.golden.canvases
	$(BIN)/python -m docs.generate

# the pages of docs/ as a site, .local/site/index.html; a link that leads nowhere is an error
docs: $(SETUP) $(SITE)
	@.local/docs/bin/python docs/build_site.py

bench: $(SETUP)
	@$(BIN)/python -m tests.bench

# calls fail while plans run, minutes; CHAOS="--seed N --runs 50 --minutes 10"
chaos: $(SETUP)
	@$(BIN)/python -m tests.chaos $(CHAOS)

# a thousand starts, sixteen at a time, while calls and processes fail; minutes; STARTS="--seed N --starts 1000"
starts: $(SETUP)
	@$(BIN)/python -m tests.starts $(STARTS)

# what of the API's description breaks callers of the last release
breaking: $(SETUP)
	@$(BIN)/python -m tests.golden.breaking

# the newest packages that the top-level pins allow, into requirements/; then read what changed
lock: $(SETUP)
	@$(BIN)/python requirements/lock.py

$(GUIDED): requirements/fuzz.txt requirements/dev.txt
	@test -x .local/fuzz/bin/python || $(BIN)/python -m venv .local/fuzz
	@.local/fuzz/bin/python -m pip install -q --disable-pip-version-check -r requirements/fuzz.txt
	@touch $@

# 100,000 inputs for each target, once chosen by Hypothesis and once guided by the code that they reach, and every route
# of a local cloud with what fits and what does not; an hour
FUZZ ?= 100000
fuzz: $(SETUP) $(GUIDED)
	@.local/fuzz/bin/python -m tests.fuzz.guided --runs $(FUZZ)
	@LOOPSTEP_FUZZ=$(FUZZ) $(BIN)/python -m pytest -n auto tests/fuzz
	@LOOPSTEP_INSTANCE=fuzz $(BIN)/loopstep up
	@LOOPSTEP_INSTANCE=fuzz $(BIN)/python -m tests.fuzz.schema; code=$$?; \
	  LOOPSTEP_INSTANCE=fuzz $(BIN)/loopstep down --purge; exit $$code

# to an AWS account: make deploy [RUNTIME=3.13] [ARCHITECTURE=arm64]; SAM asks before it changes anything
RUNTIME ?= 3.13
ARCHITECTURE ?= arm64
deploy:
	LOOPSTEP_PYTHON=$(RUNTIME) LOOPSTEP_ARCHITECTURE=$(ARCHITECTURE) sam build --no-cached
	sam deploy --parameter-overrides Runtime=python$(RUNTIME) Architecture=$(ARCHITECTURE) DeletionProtection=true

clean:
	@test ! -x $(BIN)/loopstep || $(BIN)/loopstep down --purge
	rm -rf .venv .local .aws-sam .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find $(SOURCES) -name __pycache__ -prune -exec rm -rf {} +
