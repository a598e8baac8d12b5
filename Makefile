# Everything runs from a fresh clone on a machine with Python 3.11 and the package registries.
# ARGS adds options: make run ARGS="--grace=120 --set onitama.deal=boar,ox/crab,eel/tiger"

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: run test venv lint types check docs test-slow fuzz fuzz-coverage test-sigkill test-sigterm test-leaks audit bench bench-scale profile dist check-dist clean test-stateful test-simulation bench-attack soak

run: venv
	$(BIN)/twistd --nodaemon --pidfile= gamehost $(ARGS)

venv: $(VENV)/ready

$(VENV)/ready: setup.cfg pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gamehost needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

test: venv
	$(BIN)/python -m twisted.trial $(or $(TESTS),tests)

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

check: test lint types check-dist

# What takes too long for every run: deeper counts and longer searches, each with an end of its own.
test-slow: venv
	for module in $$(ls tests/slow_*.py tests/*/slow_*.py 2>/dev/null | sed 's/\.py$$//; s,/,.,g'); do \
		$(BIN)/python -m twisted.trial $$module || exit 1; done

# 100,000 streams a wire, in three ways of cutting each.
fuzz: venv
	GAMEHOST_FUZZED=$(or $(STREAMS),100000) $(BIN)/python -m twisted.trial \
		$$(grep -l WireContract tests/wires/test_*.py | sed 's/\.py$$//; s,/,.,g; s/$$/.WireTests.test_fuzz/')

# Fuzzing that is guided by coverage, so many minutes in all; ends at the first finding. Linux.
fuzz-coverage: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	for wire in $(or $(WIRES),onitama stratego-frames stratego-lines paper-soccer eriantys); do \
		$(BIN)/python -m tests.kit.guided_fuzzing $$wire $$(( $(or $(MINUTES),5) * 60 / $(words $(or $(WIRES),1 2 3 4 5)) )) || exit 1; done

# Players, disks and clocks in any order, over a whole host in memory: 2,000 runs of 50 steps.
test-stateful: venv
	GAMEHOST_STATEFUL=$(or $(RUNS),2000) $(BIN)/python -m twisted.trial tests.kit.test_stateful.StatefulTests

# The whole host in a drawn world: a seed is one run of so many simulated minutes, the same to the byte each time.
test-simulation: venv
	$(BIN)/python -m tests.kit.simulation $(or $(SEEDS),1000) $(or $(MINUTES),10) 0 $(or $(GUESTS),4)

# Attackers against a host on 127.0.0.1, and what honest players notice. Ends by itself within four minutes.
bench-attack: venv
	$(BIN)/python -m benchmarks.abuse $(PARTS)

# Steady games with players who come and go: does anything grow, is anything left?
soak: venv
	$(BIN)/python -m benchmarks.soak $(or $(MINUTES),5)

# kill -9 at random instants of games over real sockets: about half a second each.
test-sigkill: venv
	$(BIN)/python -m tests.kit.sigkill $(or $(KILLS),1000)

# SIGTERM at random instants of games over real sockets: about a second each.
test-sigterm: venv
	$(BIN)/python -m tests.kit.sigterm $(or $(STOPS),100)

# Known passwords in many sessions, with kills and faults; then a search of the log and of all files: about a minute.
test-leaks: venv
	$(BIN)/python -m tests.kit.password_leaks $(or $(SESSIONS),10000)

# Moves a second beside a bare relay of the same bytes: about five minutes; docs/performance.rst says what to read in it.
bench: venv
	$(BIN)/python -m benchmarks.speed $(if $(WIRES),--wires=$(WIRES)) $(if $(CONNECTIONS),--connections=$(CONNECTIONS)) \
		--pairs=$(or $(PAIRS),5) --seconds=$(or $(SECONDS),1.5)

# A steady rate, idle connections, many tables, long matches, starts with many unfinished tables: about four minutes.
bench-scale: venv
	$(BIN)/python -m benchmarks.crowd $(PARTS)

# Where the microseconds of a move go, by room of the house.
profile: venv
	$(BIN)/python -m benchmarks.rooms $(if $(WIRES),--wires=$(WIRES)) --connections=$(or $(CONNECTIONS),100) \
		--seconds=$(or $(SECONDS),3) --store=$(or $(STORE),memory)

# What the host needs at run time, in a venv of its own, against the known holes of the Python Packaging Advisory Database.
# Asks pypi.org's JSON service; what it cannot ask about is a failure too.
audit:
	$(PYTHON) -m venv .audit/host
	$(PYTHON) -m venv .audit/tool
	.audit/host/bin/python -m pip install --quiet --disable-pip-version-check --upgrade '.[tls]'
	.audit/tool/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip-audit
	.audit/host/bin/python -m pip freeze --exclude gamehost > .audit/requirements.txt
	.audit/tool/bin/pip-audit --strict --progress-spinner=off --timeout=30 --no-deps --disable-pip -r .audit/requirements.txt

docs: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

dist: venv
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist .

# The wheel alone, in an empty venv and an empty folder: the plugin is found, and the host comes up and goes down.
check-dist: dist
	sh tests/check_dist.sh "$(PYTHON)" dist

clean:
	rm -rf $(VENV) .audit dist build docs/_build *.egg-info _trial_temp* .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f twisted/plugins/dropin.cache
