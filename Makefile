# make demo       the incident, on screen (without a terminal: played headless)
# make test       the check of a change: ruff, mypy, contracts, drills, every quick test
# make coverage   how many branches of the engine its quick tests reach: at least 95 %
# make test-all   the long gate: also what is marked `long`, with many more random cases
# make docs       the manual as a site, in build/site; `make manual` writes its generated pages, `make pictures` its pictures
# make bench      how fast it is, as JSON lines
# make wheel      the wheels in build/wheels: pure Python, and with a compiled engine; both need a C compiler's minutes
# make test-compiled    the recorded cases, journals and tests of the engine on a compiled engine, in a scratch folder
# make mutants    whether the tests of each package notice small changes of it: 150 of each (two hours; in no CI run)
# Everything installs itself into $(VENV); a bare Python >= 3.11 and make are enough.

# Every test process and every program it starts would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
PYTHON ?= python3
WORKERS ?= 2

bin := $(VENV)/bin
py := $(bin)/python
demo := reservation-deadlock
# Of uv: the Python that was named, else any that is new enough.
wanted := $(if $(filter file,$(origin PYTHON)),>=3.11,$(PYTHON))

.PHONY: demo play test test-all checks docs manual pictures bench wheel test-compiled mutants lint types contracts drills tests coverage format clean
.DEFAULT_GOAL := test

demo: $(VENV)/.bytecode
	@if [ -t 0 ] && [ -t 1 ]; then exec $(bin)/schedlab demo; else exec $(bin)/schedlab play --quiet $(demo); fi

test: checks tests

# Each of them keeps one processor busy.
checks: $(VENV)/.dev
	$(MAKE) -j$(WORKERS) lint types contracts drills

lint: $(VENV)/.dev
	$(bin)/ruff check .
	$(bin)/ruff format --check .

types: $(VENV)/.dev
	$(bin)/mypy

contracts: $(VENV)/.dev
	$(bin)/lint-imports --no-cache

# Every drill played by its reference, by its shortcuts and by nobody; then the same with other workloads.
drills: $(VENV)/.dev
	$(bin)/schedlab drill check --vary 2

tests: $(VENV)/.dev
	$(bin)/pytest -n $(WORKERS) --dist worksteal -m "not long"

# Coverage doubles the time of the engine, so only quick tests of it and recorded cases run under it.
coverage: $(VENV)/.dev
	$(bin)/coverage erase
	$(bin)/coverage run -m pytest -n $(WORKERS) --dist worksteal -m "not slow and not long" tests/engine tests/oracle
	$(bin)/coverage combine --quiet
	$(bin)/coverage report

test-all: checks coverage
	$(bin)/pytest -n $(WORKERS) --dist worksteal -m "" --hypothesis-profile=long

# Everything a page needs lies beside it: no font, script or picture is asked of another server.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet --strict --clean

# What the manual takes from the program: reference, man page, schemas.
manual: $(VENV)/.dev
	$(py) -m tests.manual

pictures: $(VENV)/.dev
	$(py) -m tests.manual pictures

bench: $(VENV)/.dev
	$(py) -m tests.gates.bench

# At the same time; where the compiled one fails, it says so and a second pure one is made.
wheel: $(VENV)/.dev
	$(py) -m hatchling build -t wheel -d build/wheels & pure=$$!; \
	SCHEDLAB_COMPILE=1 $(py) -m hatchling build -t wheel -d build/wheels && wait $$pure

# Those of a running ResourceManager have a test of their own.
cases := $(filter-out %-recorded-3.4.1.jsonl.gz, $(wildcard tests/cases/recorded/yarn-*.jsonl* tests/cases/recorded/mr1-*.jsonl*))

# A copy of what is under version control, with the compiled engine put over it.
test-compiled: $(VENV)/.dev
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && git ls-files -z | xargs -0 cp --parents -t "$$folder" && \
	$(abspath $(py)) hatch_build.py "$$folder" && cd "$$folder" && \
	$(abspath $(py)) -m tests.oracle $(cases) && \
	$(abspath $(py)) -m tests.oracle tests/cases/recorded/spark-*.jsonl* && \
	$(abspath $(bin))/pytest -n $(WORKERS) --dist worksteal -m "not long" tests/test_journals.py tests/engine tests/oracle/test_recorded_capacity.py

mutants: $(VENV)/.dev
	$(py) -m tests.gates.mutants --jobs $(WORKERS) $(MUTANTS)

format: $(VENV)/.dev
	$(bin)/ruff check --fix-only .
	$(bin)/ruff format .

clean:
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
	@$(py) -m compileall -q -j 0 engine tui scenarios
	@touch $@

# The first Python that is new enough; `make PYTHON=/path/to/python3.12` names another.
$(py):
	@if command -v uv >/dev/null; then uv venv --quiet --allow-existing --python '$(wanted)' $(VENV); exit; fi; \
	for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11; do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		echo "$$python -m venv $(VENV)"; $$python -m venv $(VENV); exit; \
	done; \
	echo "schedlab needs Python 3.11 or later; none found as $(PYTHON) or python3.11 to python3.14" >&2; exit 1

define install
	@if command -v uv >/dev/null; then uv pip install --quiet --compile-bytecode --python $(py) --constraint constraints.txt --editable '$(1)'; \
	else $(py) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '$(1)'; fi
endef
