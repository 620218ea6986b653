# Needs make and Python >= 3.11; everything else is set up here. Repeated runs only do what changed.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN = .venv/bin
SETUP = .venv/.stamp
SOURCES = layers functions tests docs
GENERATED = statemachines/*.json tests/golden/definitions/*.json tests/golden/canvas/*.yaml docs/diagnostics/*.md docs/errors/*.md docs/nodes/*.md docs/pictures/*.svg

.PHONY: setup demo demo-canvas test test-deployed check format golden bench chaos fuzz lock deploy clean

AUDIT = .local/audit/.stamp

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

demo: $(SETUP)
	@$(BIN)/loopstep demo

demo-canvas: $(SETUP)
	@$(BIN)/loopstep demo --canvas

# STRICT=1: on the local cloud that enforces AWS's rules
test: $(SETUP)
	@$(BIN)/python tests/run.py $(if $(STRICT),--strict) $(PYTEST)

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
	@$(BIN)/python tests/run.py --lint $(PYTEST)

format: $(SETUP)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

golden: $(SETUP)
	$(BIN)/python -m tests.golden.definitions
	$(BIN)/python -m tests.golden.canvases
	$(BIN)/python -m docs.generate

bench: $(SETUP)
	@$(BIN)/python -m tests.bench

# calls fail while plans run, minutes; CHAOS="--seed N --runs 50 --minutes 10"
chaos: $(SETUP)
	@$(BIN)/python -m tests.chaos $(CHAOS)

# the newest packages that the top-level pins allow, into requirements/; then read what changed
lock: $(SETUP)
	@$(BIN)/python requirements/lock.py

# 100,000 inputs for each target, and every route of a local cloud with what fits and what does not; an hour or two
FUZZ ?= 100000
fuzz: $(SETUP)
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
