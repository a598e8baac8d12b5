# Every target works in a fresh clone: it installs what it needs into .venv first. `make help` lists the targets.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# One more than there are cores: while a test waits for a process or for a deadline, its core is free for another one.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) + 1)))
TRIAL := $(BIN)/python -m twisted.trial
# Tests start hosts as copies of a process that has imported everything (tests/kit/fork_server.py). FORK= starts each anew.
FORK ?= GAMEHOST_FORK_SERVER=yes
ARGS ?=
SHELL := bash
# Some images set it. Then each process that a test starts compiles the host anew, which takes as long as all that it does.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run cluster venv test test-times check lint types coverage docs pictures shape changelog nox dist check-dist check-extras check-learn check-mcp release deb check-deb check-first-steps clean \
	test-slow test-browser test-cluster check-cluster looks test-properties test-simulation test-sigkill test-slow-kills test-championship test-contest-bad test-contest-intervals test-contest-kills test-contest-strength test-backup test-bitflips test-house test-sigterm test-standstill test-class test-evening test-leaks test-checker fuzz fuzz-coverage audit \
	bench bench-start bench-scale bench-attack bench-watchers bench-house bench-remote bench-cluster bench-hop bench-peers ladder mutants soak profile way

##@ To play
run: $(VENV)/run-ready ## start the host on this machine; ARGS="--grace=120" adds options
	$(BIN)/gamehost run $(ARGS)

cluster: $(VENV)/ready ## start three hosts on a PostgreSQL of their own; kill one, and play on at another; SHIFT=1000 moves all ports
	$(BIN)/python -m tests.kit.try_cluster $(or $(SHIFT),0)

help: ## list these targets
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' Makefile

##@ To change the code
venv: $(VENV)/ready ## install everything that the targets below need into .venv

test: $(VENV)/ready ## run the tests on all cores, some minutes; TESTS=tests.wires runs some of them, JOBS=1 uses one core, LONG=yes runs those that take seconds
	$(if $(LONG),GAMEHOST_LONG=$(LONG)) $(FORK) $(TRIAL) -j$(JOBS) $(or $(TESTS),tests)

test-times: $(VENV)/ready ## what the tests cost: the slowest, and those after which a worker is larger; TESTS=tests.wires
	$(FORK) $(BIN)/python -m tests.kit.times $(TESTS)

check: lint types docs check-dist coverage ## everything that CI checks

lint: $(VENV)/ready ## check style and formatting with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/ready ## check types with mypy
	$(BIN)/mypy

# Each process writes a data file of its own: trial's workers and the hosts that tests start are counted too.
# Trial's summary is printed again at the end, behind the report.
coverage: $(VENV)/ready ## run all tests, and fail if less than the floor in pyproject.toml is covered
	rm -rf .coverage .coverage.* coverage && mkdir coverage
	set -o pipefail; GAMEHOST_LONG=yes $(FORK) $(BIN)/coverage run -m twisted.trial -j$(JOBS) tests | tee coverage/trial.txt
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet --fail-under=0
	$(BIN)/coverage report --skip-covered --sort=cover
	@tail -n 4 coverage/trial.txt

# Docstrings must be valid reStructuredText; names in them that lead nowhere are only listed in reference.txt.
# The pages and the reference are made side by side: the reference takes most of the time.
docs: $(VENV)/docs-ready ## build the documentation in docs/_build/html; a warning about a page is an error
	mkdir -p docs/_build
	$(BIN)/pydoctor > docs/_build/reference.txt & \
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html; pages=$$?; \
	wait $$! || { grep -v 'Cannot find\|ambiguous' docs/_build/reference.txt; exit 1; }; \
	exit $$pages

pictures: $(VENV)/ready ## draw the pictures in docs/games/pictures again
	$(BIN)/python -m tests.kit.made_files pictures

shape: $(VENV)/ready ## print how large and how tangled the code is, beside the aims
	@$(BIN)/python -m tests.kit.shape

changelog: $(VENV)/ready ## show what newsfragments/ will add to CHANGELOG.rst
	$(BIN)/towncrier build --draft

nox: $(VENV)/ready ## run the tests on every Python that is installed, and with the oldest dependencies; SESSIONS TESTS
	$(PIP) nox
	$(BIN)/nox $(if $(SESSIONS),--session $(SESSIONS)) $(if $(TESTS),-- $(TESTS))

dist: $(VENV)/ready ## build the wheel and the source package in dist/
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist .

check-dist: dist ## install the wheel into empty environments, with pip and with pipx, and use every verb
	sh tests/check_dist.sh "$(PYTHON)" dist

# The list names what the wheel installs with its extras for owners, so a reader can look up vulnerabilities later.
release: check-dist ## that, and beside the packages in dist/ a software bill of materials (CycloneDX) and SHA256SUMS
	$(PYTHON) -m venv --clear --without-pip .audit/release
	$(PYTHON) -m venv .audit/tool
	.audit/tool/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "cyclonedx-bom >= 7"
	.audit/tool/bin/python -m pip --python .audit/release/bin/python install --quiet --disable-pip-version-check \
		--find-links dist "gamehost[tls,push,metrics,postgresql] == $$($(BIN)/python -c 'import gamehost; print(gamehost.__version__)')"
	.audit/tool/bin/cyclonedx-py environment --output-reproducible --output-file dist/gamehost.cdx.json .audit/release/bin/python
	cd dist && sha256sum -- * > SHA256SUMS

check-extras: $(VENV)/ready ## delete each extra in a copy of the tree, and test the core there; some minutes; EXTRAS="contest bots"
	$(BIN)/python -m tests.check_extras $(EXTRAS)

# The versions for which the tests were written. A newer one is tried by a new number here. A *.egg-info that stays would hide
# the entry points of .venv.
check-learn: ## install the extra learn into .venv-learn, play whole games while hosts are killed, and test 2,000 positions; some minutes; POSITIONS=500
	test -x $(VENV)-learn/bin/python || $(PYTHON) -m venv $(VENV)-learn
	$(VENV)-learn/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[learn,testing,tls]' --editable examples/gomoku --editable examples/fleet \
		pettingzoo==1.27.0 gymnasium==1.4.0 numpy==2.4.6
	rm -rf *.egg-info examples/*/*.egg-info
	GAMEHOST_POSITIONS=$(or $(POSITIONS),2000) $(VENV)-learn/bin/python -m twisted.trial tests.extras.learn

check-mcp: ## install the extra mcp into .venv-mcp, play whole games over it while hosts are killed, and test 2,000 positions; some minutes; POSITIONS=500
	test -x $(VENV)-mcp/bin/python || $(PYTHON) -m venv $(VENV)-mcp
	$(VENV)-mcp/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[mcp,testing]' mcp==2.3.0
	rm -rf *.egg-info
	GAMEHOST_POSITIONS=$(or $(POSITIONS),2000) $(VENV)-mcp/bin/python -m twisted.trial tests.extras.mcp

deb: dist ## build a package for Debian in dist/, for the release whose python3 is of the same version
	sh contrib/debian/build.sh "$(PYTHON)" dist

check-deb: deb ## install that package into a bare Debian and use every verb; needs root, debootstrap and some minutes; ROOT=DIR
	sh tests/check_deb.sh dist/gamehost_*.deb $(ROOT)

check-first-steps: $(VENV)/ready ## from a bare Debian to the first game and a contest, by the words of the pages; needs root, debootstrap and some minutes; ROOT=DIR
	$(BIN)/python -m tests.check_first_steps $(ROOT)

clean: ## delete .venv and everything else that was built
	rm -rf $(VENV) $(VENV)-learn $(VENV)-mcp .audit .nox dist build coverage .coverage .coverage.* docs/_build *.egg-info _trial_temp* .hypothesis
	rm -rf .mypy_cache .ruff_cache twisted/plugins/dropin.cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Longer tests
# Each module has an end of its own.
test-slow: $(VENV)/ready ## deeper counts and longer searches than `make test` has time for
	for module in $$(ls tests/slow_*.py tests/*/slow_*.py 2>/dev/null | sed 's/\.py$$//; s,/,.,g'); do \
		$(TRIAL) $$module || exit 1; done

test-browser: $(VENV)/ready ## the pages in a real Chromium, which is installed first where that is possible
	sh tests/install_browser.sh
	$(PIP) --no-deps axe-playwright-python
	for module in tests.browser $$(ls tests/browser/slow_*.py 2>/dev/null | sed 's/\.py$$//; s,/,.,g'); do \
		GAMEHOST_LONG=yes GAMEHOST_BROWSER=required $(TRIAL) $$module || exit 1; done

# GAMEHOST_KILLS counts for one host and for three.
test-cluster: $(VENV)/ready ## one and three hosts on PostgreSQL in trouble, seven minutes; installs it; KILLS STARTS CROWDED TABLES HANGS RESTARTS STOPS CABLES FAILOVERS BEHIND MEETINGS
	sh tests/install_postgresql.sh
	GAMEHOST_LONG=yes GAMEHOST_POSTGRESQL=required $(TRIAL) tests.extras.cluster.postgresql tests.end_to_end.test_cluster
	GAMEHOST_POSTGRESQL=required $(FORK) $(foreach name,KILLS STARTS CROWDED TABLES HANGS RESTARTS STOPS CABLES FAILOVERS BEHIND MEETINGS, \
		$(if $($(name)),GAMEHOST_$(name)=$($(name)))) $(TRIAL) tests.slow_kills.PlayTests tests.slow_cluster

check-cluster: $(VENV)/ready ## a short test-cluster: three hosts under play are killed, stopped and hang; a minute
	sh tests/install_postgresql.sh
	GAMEHOST_POSTGRESQL=required GAMEHOST_KILLS=3 GAMEHOST_STARTS=1 GAMEHOST_CROWDED=1 GAMEHOST_HANGS=1 GAMEHOST_STOPS=1 GAMEHOST_MEETINGS=5 $(FORK) \
		$(TRIAL) tests.slow_cluster.MembersTests tests.slow_cluster.MeetingTests

looks: $(VENV)/ready ## take the pictures of the pages for the documentation, in docs/looks; ALL=FOLDER takes all pages in all sizes, half an hour
	sh tests/install_browser.sh
	$(if $(ALL),$(PIP) --no-deps axe-playwright-python)
	$(if $(ALL),GAMEHOST_PICTURES=$(abspath $(ALL)),GAMEHOST_LOOKS=yes) GAMEHOST_BROWSER=required $(TRIAL) \
		$(if $(ALL),tests.browser.slow_pages.SizeTests tests.browser.slow_words,tests.browser.looks)

test-properties: $(VENV)/ready ## property tests with other examples in each run, and ten times as many; EXAMPLES=200 TESTS=tests.wires
	GAMEHOST_TEST_PROFILE=search GAMEHOST_EXAMPLES=$(or $(EXAMPLES),200) $(FORK) $(TRIAL) -j$(JOBS) \
		$(or $(TESTS),tests.accounts tests.extras.check tests.extras.contest tests.games tests.journal tests.lobby tests.players tests.storage \
		tests.tables tests.web tests.wires)

test-simulation: $(VENV)/ready ## a whole host, and a cluster, in simulated worlds; SEEDS=1000 MINUTES=10 GUESTS=4 CLUSTER=1000
	$(BIN)/python -m tests.kit.simulation $(or $(SEEDS),1000) $(or $(MINUTES),10) 0 $(or $(GUESTS),4)
	$(BIN)/python -m tests.kit.cluster_simulation $(or $(CLUSTER),1000)

test-sigkill: $(VENV)/ready ## kill -9 during games over sockets, on two wires, and of offers, a second or two each; KILLS=1000
	$(BIN)/python -m tests.kit.kills onitama $(or $(KILLS),1000)
	$(BIN)/python -m tests.kit.kills open $(or $(KILLS),1000)
	$(BIN)/python -m tests.kit.offer_kills $(or $(KILLS),1000)

test-slow-kills: $(VENV)/ready ## kill -9 of matches of days, on a file, on PostgreSQL and on a cluster of three, one to fifteen seconds each; KILLS=20
	for store in file postgresql cluster; do $(BIN)/python -m tests.kit.slow_match_kills $(or $(KILLS),20) 1 $$store || exit 1; done

test-championship: $(VENV)/ready ## kill -9 when a result of a championship is told, a second each; KILLS=300
	$(FORK) $(BIN)/python -m tests.kit.remote_games kills $(or $(KILLS),300)

test-contest-kills: $(VENV)/ready ## kill -9 of contests, of their host and of clients at random moments, two to six seconds each; KILLS=50
	GAMEHOST_KILLS=$(or $(KILLS),50) $(FORK) $(TRIAL) tests.end_to_end.slow_contest.KillTests

test-contest-bad: $(VENV)/ready ## a contest of twenty programs, eight of them bad in eight ways, takes at most 1.3 times as long as with sound ones; some minutes
	$(FORK) $(TRIAL) tests.end_to_end.slow_contest.BadBotsTests

test-contest-intervals: $(VENV)/ready ## simulated fields: do 93 to 97 of 100 intervals of ratings hold the truth? some minutes; FIELDS=2000
	GAMEHOST_FIELDS=$(or $(FIELDS),2000) $(TRIAL) tests.extras.contest.test_standings.IntervalTests

test-contest-strength: $(VENV)/ready ## contests of eight players of known strength, 15 s each; CONTESTS=20
	GAMEHOST_CONTESTS=$(or $(CONTESTS),20) $(TRIAL) tests.extras.contest.slow

test-backup: $(VENV)/ready ## kill -9 while a backup is made every second, three seconds each; KILLS=100
	$(BIN)/python -m tests.kit.store_kills backups $(or $(KILLS),100)

test-bitflips: $(VENV)/ready ## flip bits of a store after kill -9, a minute or two; FLIPS=1000
	$(BIN)/python -m tests.kit.store_kills flips $(or $(FLIPS),1000)

test-house: $(VENV)/ready ## people and house players in any order, a minute or two; RACES=20000
	GAMEHOST_RACES=$(or $(RACES),20000) $(TRIAL) tests.lobby.test_house

test-sigterm: $(VENV)/ready ## SIGTERM during games over sockets, a second each; STOPS=100
	$(BIN)/python -m tests.kit.kills sigterm $(or $(STOPS),100)

test-standstill: $(VENV)/ready ## freeze a host under play, and see that nobody pays for it; SECONDS=12
	$(BIN)/python -m tests.kit.kills standstill $(or $(SECONDS),12)

test-class: $(VENV)/ready ## 200 players behind one address come back after kill -9, half a minute
	$(TRIAL) tests.slow_kills.ClassTests

test-evening: $(VENV)/ready ## what docs/class.rst has a teacher type, with twenty bots, from the wheel to the results; three minutes
	$(TRIAL) tests.slow_evening

test-leaks: $(VENV)/ready ## search logs and files for known passwords, about a minute; SESSIONS=10000
	$(BIN)/python -m tests.kit.password_leaks $(or $(SESSIONS),10000)

test-checker: $(VENV)/ready ## sound clients and the host in all scenarios of `gamehost check`, 20 minutes of a core; SEEDS=100
	GAMEHOST_CHECKER_SEEDS=$(or $(SEEDS),100) $(TRIAL) -j$(JOBS) tests.extras.check.wires tests.extras.check.test_server_wires

fuzz: $(VENV)/ready ## damaged streams on every wire, each cut in three ways; STREAMS=100000
	GAMEHOST_FUZZED=$(or $(STREAMS),100000) $(TRIAL) \
		$$(grep -l WireContract tests/wires/test_*.py | sed 's/\.py$$//; s,/,.,g; s/$$/.WireTests.test_fuzz/') \
		tests.extras.dialects.test_litama.WireTests.test_fuzz_over_websocket \
		tests.web.test_upgrade.WireTests.test_fuzz tests.web.test_site

FUZZED = $(or $(WIRES),onitama onitama-final litama stratego-frames stratego-lines paper-soccer eriantys eriantys-java open console)
fuzz-coverage: $(VENV)/ready ## fuzzing that is guided by coverage (Linux); MINUTES=5 in all, WIRES="onitama eriantys"
	$(PIP) --editable '.[fuzz]'
	for wire in $(FUZZED); do \
		$(BIN)/python -m tests.kit.guided_fuzzing $$wire $$(( $(or $(MINUTES),5) * 60 / $(words $(FUZZED)) )) || exit 1; done

# The host's own dependencies are installed into an environment of their own. What cannot be looked up is a failure too.
audit: ## look up known vulnerabilities of the host's dependencies; asks pypi.org
	$(PYTHON) -m venv .audit/host
	$(PYTHON) -m venv .audit/tool
	.audit/host/bin/python -m pip install --quiet --disable-pip-version-check --upgrade '.[tls]'
	.audit/tool/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip-audit
	.audit/host/bin/python -m pip freeze --exclude gamehost > .audit/requirements.txt
	.audit/tool/bin/pip-audit --strict --progress-spinner=off --timeout=30 --no-deps --disable-pip -r .audit/requirements.txt

##@ Measurements (docs/performance.rst says how to read them)
bench: $(VENV)/ready ## moves per second, beside a bare relay of the same bytes, about 10 minutes; instructions a move, where valgrind is installed; WIRES CONNECTIONS PAIRS SECONDS
	$(BIN)/python -m benchmarks.speed $(if $(WIRES),--wires=$(WIRES)) $(if $(CONNECTIONS),--connections=$(CONNECTIONS)) \
		--pairs=$(or $(PAIRS),5) --seconds=$(or $(SECONDS),1.5)
	$(BIN)/python -m benchmarks.instructions $(if $(WIRES),--wires=$(WIRES))

bench-peers: $(VENV)/ready ## what a move costs, beside small servers made with what others use, which npm and pip install; three minutes; PEERS_PYTHON=/usr/bin/python3 CONNECTIONS=50 PAIRS=5 PLOT=peers.svg
	$(BIN)/python -m benchmarks.peers $(if $(CONNECTIONS),--connections=$(CONNECTIONS)) $(if $(PLOT),--plot=$(PLOT)) \
		$(if $(PEERS_PYTHON),--python=$(PEERS_PYTHON)) --pairs=$(or $(PAIRS),5) --seconds=$(or $(SECONDS),1.5)

bench-start: $(VENV)/ready ## what a start costs until the ports are open: processor time, memory, modules; STARTS=5
	$(BIN)/python -m benchmarks.start $(or $(STARTS),5)

bench-scale: $(VENV)/ready ## steady load, idle connections, many tables, starts, about 4 minutes; PARTS
	$(BIN)/python -m benchmarks.crowd $(PARTS)

bench-attack: $(VENV)/ready ## attackers, and what other players notice, about 20 minutes; PARTS
	$(BIN)/python -m benchmarks.abuse $(PARTS)

bench-watchers: $(VENV)/ready ## what those who watch a match cost, and whether players notice, about 3 minutes; WATCHERS=0,100,1000 WEB=1
	$(BIN)/python -m benchmarks.watchers --watchers=$(or $(WATCHERS),0,100,1000) $(if $(WEB),--web)
	$(BIN)/python -m benchmarks.frames

bench-house: $(VENV)/ready ## what people notice while house players think, about a minute; GAMES=50 LEVEL=hard
	$(BIN)/python -m benchmarks.house --games=$(or $(GAMES),50) --level=$(or $(LEVEL),hard)

bench-remote: $(VENV)/ready ## remote games at once with an example's master, which is killed in the middle; GAMES=100 KILLS=1
	$(BIN)/python -m tests.kit.remote_games crowd $(or $(GAMES),100) $(or $(KILLS),1)

bench-hop: $(VENV)/ready ## what it costs that a player is relayed by another host of a cluster, half a minute; CONNECTIONS=100
	sh tests/install_postgresql.sh
	$(BIN)/python -m benchmarks.hop --connections=$(or $(CONNECTIONS),100)

bench-cluster: bench-hop ## that, and one, two and three hosts of a cluster beside one alone, three minutes; CONNECTIONS=100 PAIRS=5
	$(BIN)/python -m benchmarks.members --growth --connections=$(or $(CONNECTIONS),100) --pairs=$(or $(PAIRS),5)
	$(BIN)/python -m benchmarks.members --connections=$(or $(CONNECTIONS),100) --pairs=$(or $(PAIRS),5)

ladder: $(VENV)/ready ## each level of the players against the one below; GAME=onitama GAMES=100 EFFORT=1
	$(BIN)/python -m benchmarks.ladder $(if $(GAME),--game=$(GAME)) --games=$(or $(GAMES),100) --effort=$(or $(EFFORT),1)

mutants: $(VENV)/ready ## plant faults in a wire or a game, and name those that its tests do not find; WIRE=onitama FAULTS=20 SEED=1
	$(BIN)/python -m tests.kit.mutants $(or $(WIRE),onitama) --faults $(or $(FAULTS),20) --seed $(or $(SEED),1)

soak: $(VENV)/ready ## games with players who come and go: does anything grow? MINUTES=5
	$(BIN)/python -m benchmarks.soak $(or $(MINUTES),5)

profile: $(VENV)/ready ## where the time of a move goes; WIRES CONNECTIONS=100 SECONDS=3 STORE=memory
	$(BIN)/python -m benchmarks.rooms $(if $(WIRES),--wires=$(WIRES)) --connections=$(or $(CONNECTIONS),100) \
		--seconds=$(or $(SECONDS),3) --store=$(or $(STORE),memory)

way: $(VENV)/ready ## the functions that a move passes, and the steps of the interpreter in them; those of a log-in, a seat, a start and a contest; LIST=1 names them; WIRES
	$(BIN)/python -m benchmarks.way $(if $(WIRES),--wires=$(WIRES)) $(if $(LIST),--list)
	$(BIN)/python -m benchmarks.ways $(if $(LIST),--list)

# The stamps: what running needs, what developing adds, what the documentation adds.
$(VENV)/run-ready: setup.cfg pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gamehost needs Python 3.11 or newer")'
	@echo "This is done once, and takes half a minute to a minute: making a Python environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@echo "Installing what the host needs: Twisted, msgspec, attrs, lxml, wsproto ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/ready: $(VENV)/run-ready
	@echo "Installing the tools for tests, style and types. This is done once ..."
	@$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/docs-ready: $(VENV)/ready
	@echo "Installing the tools for the documentation. This is done once ..."
	@$(PIP) --editable '.[docs]'
	@touch $@
