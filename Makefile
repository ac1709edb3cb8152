# Everything installs itself into $(VENV); a bare Python >= 3.11 and make are enough.

# Every test process and every program it starts would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
PYTHON ?= python3
WORKERS ?= 2
SEEDS ?= 1

bin := $(VENV)/bin
py := $(bin)/python
demo := reservation-deadlock
compile := $(py) -m compileall -q -j 0
# Of uv: the Python that was named, else any that is new enough.
wanted := $(if $(filter file,$(origin PYTHON)),>=3.11,$(PYTHON))

.PHONY: help demo test test-all docs manual pictures bench wheel test-wheels test-compiled mutants audit lint types contracts drills tests tests-measured \
	tests-beside coverage cases format clean
.DEFAULT_GOAL := help

help:  ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r name words; do printf 'make %-14s %s\n' "$$name" "$$words"; done
	@echo
	@echo 'make tests OF=engine/explain   the tests of one package'
	@echo 'make tests CHANGED=1           the tests that reach what the working tree changes'
	@echo 'make mutants CHANGED=1         small changes of what the working tree changes'

demo: $(VENV)/.bytecode  ## the incident, on screen (without a terminal: played headless)
	@if [ -t 0 ] && [ -t 1 ]; then exec $(bin)/schedlab demo; else exec $(bin)/schedlab play --quiet $(demo); fi

# The checks run one after the other beside the tests; with COVERAGE=1 the engine's quick tests are measured in the same pass.
test: $(VENV)/.dev  ## the check of a change: ruff, mypy, contracts and drills beside every quick test
	$(MAKE) --no-print-directory -j2 tests lint contracts types drills

lint: $(VENV)/.dev  ## ruff
	$(bin)/ruff check .
	$(bin)/ruff format --check .

types: $(VENV)/.dev  ## mypy
	$(bin)/mypy

contracts: $(VENV)/.dev  ## who may import whom
	$(bin)/lint-imports --no-cache

# Each by its reference, by its shortcuts and by nobody; then the same with other workloads.
drills: $(VENV)/.dev  ## every drill played; SEEDS=2 with more workloads
	$(bin)/schedlab check drills --seeds $(SEEDS)

run := $(bin)/pytest -q -n $(WORKERS) --dist worksteal
engine := tests/engine tests/oracle tests/laws tests/stories

ifdef OF
tests: $(VENV)/.dev
	$(run) -m "not long" $(addprefix tests/,$(OF))
else ifdef CHANGED
tests: $(VENV)/.dev
	@found=$$($(py) -m tests.gates.changed); if [ -n "$$found" ]; then $(run) -m "not long" $$found; else echo 'no test reaches what changed'; fi
else ifdef COVERAGE
tests: tests-measured tests-beside
else
tests: $(VENV)/.dev  ## every quick test
	$(run) -m "not long" --every-stored
endif

# Each test runs once: under coverage where it is quick and of the engine, a law or a story, else without. Python 3.14 counts branches nearly
# for nothing (sys.monitoring); before, coverage's own tracer doubles the time.
tests-measured: export COVERAGE_CORE = $(shell $(py) -c 'import sys; print("sysmon" if sys.version_info >= (3, 14) else "ctrace")' 2>/dev/null)
tests-measured: $(VENV)/.dev
	$(bin)/coverage erase
	$(bin)/coverage run -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow and not long" $(engine)
	$(bin)/coverage combine --quiet
	$(bin)/coverage report

tests-beside: $(VENV)/.dev
	$(run) -m "not long" --every-stored $(addprefix --measured=,$(engine))

coverage: tests-measured  ## how many branches of the engine its quick tests reach: at least 95 %

test-all: SEEDS = 2
test-all: lint types contracts drills coverage  ## the long gate: also what is marked `long`, with many more random cases
	$(run) -m "" --hypothesis-profile=long --every-stored

cases: $(VENV)/.dev  ## renew the stored screens and transcripts, and show what differs: build/cases.html
	$(py) -m tests.gates.cases $(OF)

# Everything a page needs lies beside it: no font, script or picture is asked of another server.
docs: $(VENV)/.dev  ## the manual as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet --strict --clean

manual: $(VENV)/.dev  ## what the manual takes from the program: reference, man page, schemas
	$(py) -m tests.manual

pictures: $(VENV)/.dev  ## the manual's pictures
	$(py) -m tests.manual pictures

bench: $(VENV)/.dev  ## how fast it is, as JSON lines
	$(py) -m tests.gates.bench

# At the same time; where the compiled one fails, it says so and a second pure one is made.
wheel: $(VENV)/.dev  ## the wheels in build/wheels: pure Python, and with a compiled engine
	$(py) -m hatchling build -t wheel -d build/wheels & pure=$$!; \
	SCHEDLAB_COMPILE=1 $(py) -m hatchling build -t wheel -d build/wheels && wait $$pure

test-wheels:  ## a compiled wheel for each Python of this machine, installed alone and run on all recorded cases
	.ci/pythons wheel

# Those of a running ResourceManager have a test of their own.
cases := $(filter-out %-recorded-3.4.1.jsonl.gz, $(wildcard tests/cases/recorded/yarn-*.jsonl* tests/cases/recorded/mr1-*.jsonl*))

# A copy of what is under version control, with the compiled engine put over it.
test-compiled: $(VENV)/.dev  ## recorded cases, journals and tests of the engine on a compiled engine
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && git ls-files -z | xargs -0 cp --parents -t "$$folder" && \
	$(abspath $(py)) hatch_build.py "$$folder" && cd "$$folder" && \
	$(abspath $(py)) -m tests.oracle $(cases) && \
	$(abspath $(py)) -m tests.oracle tests/cases/recorded/spark-*.jsonl* && \
	$(abspath $(bin))/pytest -n $(WORKERS) --dist worksteal -m "not long" tests/test_journals.py tests/engine tests/oracle/test_recorded_capacity.py

# As many as there are in the changed files, tried by all quick tests that reach them; else a sample of the whole product.
mutants: $(VENV)/.dev  ## whether quick tests notice small changes of the product
ifdef CHANGED
	@found=$$($(py) -m tests.gates.changed --product); if [ -n "$$found" ]; then \
	$(py) -m tests.gates.mutants --jobs $(WORKERS) --of $$found --tests $$($(py) -m tests.gates.changed) $(MUTANTS); \
	else echo 'nothing of the product is changed'; fi
else
	$(py) -m tests.gates.mutants --jobs $(WORKERS) $(MUTANTS)
endif

audit: $(VENV)/.dev  ## whether the pins are current, and whether advisories name one
	$(py) -m tests.gates.audit

format: $(VENV)/.dev  ## lay the code out
	$(bin)/ruff check --fix-only .
	$(bin)/ruff format .

clean:  ## remove what was installed and kept
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

# A stamp is newer than what it was made from, so the environment is filled again only when that changed.
$(VENV)/.core: pyproject.toml constraints.txt | $(py)
	$(call install,.)
	@touch $@

# What the tests need, without checkers.
$(VENV)/.test: pyproject.toml constraints.txt | $(py)
	$(call install,.[test])
	@touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml constraints.txt | $(py)
	$(call install,.[dev])
	@touch $@ $(VENV)/.core

# Compiled once here, so that starts are quick also where Python may write no bytecode (PYTHONDONTWRITEBYTECODE). What
# has changed since is compiled again by this rule, or by Python in memory.
$(VENV)/.bytecode: $(VENV)/.core $(shell find engine tui scenarios -name '*.py')
	@$(compile) engine tui scenarios
	@touch $@

# The first Python that is new enough; `make PYTHON=/path/to/python3.12` names another.
$(py):
	@if command -v uv >/dev/null; then uv venv --quiet --allow-existing --python '$(wanted)' $(VENV); exit; fi; \
	for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11; do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		without=; if $$python -m pip --help 2>/dev/null | grep -q -- --python; then without=--without-pip; fi; \
		echo "$$python -m venv $$without $(VENV)"; $$python -m venv $$without $(VENV); exit; \
	done; \
	echo "schedlab needs Python 3.11 or later; none found as $(PYTHON) or python3.11 to python3.14" >&2; exit 1

# A pip outside installs into an environment without one, which takes seconds less to make. It only unpacks: then all
# processors compile, the program's own modules while it unpacks.
define install
	@if command -v uv >/dev/null; then uv pip install --quiet --compile-bytecode --python $(py) --constraint constraints.txt --editable '$(1)'; exit; fi; \
	$(compile) engine tui scenarios & \
	outer=$$(sed -n 's/^executable = //p' $(VENV)/pyvenv.cfg); \
	pip="$$outer -m pip --python $(py)"; if $(py) -c 'import pip' 2>/dev/null; then pip='$(py) -m pip'; fi; \
	$$pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable '$(1)' && \
	wait && $(compile) $(VENV)/lib
endef
