# Every target sets up .venv by itself; nothing happens twice when nothing changed.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := .venv/.ready

.PHONY: demo test learn-test coverage check checked docs docs-check release faults fuzz optimum optimum-test hidden scale live-test pictures tables questions bench browser clean
.DEFAULT_GOAL := demo

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hanabilab needs Python 3.11 or newer")'
	@echo "setting up .venv ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q src
	@touch $@

demo: $(READY)
	@echo "== one game: the information strategy of Cox et al., the last turns"
	@$(BIN)/hanabilab play information --players 3 --seed 1 | tail -n 12
	@echo; echo "== can this deck be won?"
	@$(BIN)/hanabilab solve --players 2 --seed 7 | head -n 3
	@echo; echo "== every number of the papers, computed again (about two minutes)"
	@$(BIN)/hanabilab reproduce --quick

# Three workers on two cores: some tests wait for servers and other processes.
test: $(READY) check
	@$(BIN)/python -m compileall -q src tests
	@$(BIN)/python -m pytest -n 3 --dist worksteal

# The tests of learning, in an environment of their own with PyTorch's CPU build: other builds take
# gigabytes. Where it cannot be installed, one line says so. TORCH=torch takes whatever pip finds.
LEARN := .venv-learn
LEARN_BIN := $(LEARN)/$(notdir $(BIN))
LEARN_TESTS := tests/envs tests/lab/test_dataset.py tests/test_documents.py
TORCH ?= torch==2.13.0$(if $(filter Linux,$(shell uname -s)),+cpu)
learn-test:
	@PYTHON=$(PYTHON) sh tests/learn-environment.sh $(LEARN) $(LEARN_BIN) $(TORCH)
	@test ! -e $(LEARN)/.ready || HANABILAB_LEARN=required $(LEARN_BIN)/python -m pytest -m learn $(LEARN_TESTS)

# Which lines of plain Python the tests reach; compiled kernels run outside of its sight.
coverage: $(READY)
	@$(BIN)/python -m pytest -n 2 --cov --cov-report=xml --cov-report=term:skip-covered

# Install Debian's chromium for the tests of the pages; without a browser they are skipped.
browser:
	@sh tests/web/install-chromium.sh

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/oxlint --deny-warnings --quiet src examples
	@$(BIN)/python -m tests.stylesheets src

# All tests with machine code that compares every index with the length; a wrong one names its line.
checked: $(READY)
	@HANABILAB_CHECKED=1 $(BIN)/python -m pytest -n 3 --dist worksteal

# The site, strictly: broken links and unknown references fail. Open site/index.html.
docs: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo site/index.html

# Every output in the pages, the slow ones as well.
docs-check: $(READY)
	@HANABILAB_DOCS=1 $(BIN)/python -m pytest tests/test_documents.py

# Wheel and source archive in dist, checked, installed and tried in every Python at hand.
release: $(READY)
	@$(BIN)/python -m tests.release

# Thousands of kills, full disks, second owners and damaged files; a failure names its case.
FAULTS ?= 4000
FAULTS_SEED ?= $(shell date +%s)
faults: $(READY)
	@echo "$(FAULTS) cases of seed $(FAULTS_SEED)"
	@HANABILAB_FAULTS=$(FAULTS) HANABILAB_FAULTS_SEED=$(FAULTS_SEED) \
		$(BIN)/python -m pytest -n 2 --dist worksteal tests/faults

# A hundred thousand inputs for all parsers and the command line, about ten minutes on two cores.
fuzz: $(READY)
	@$(BIN)/python -m tests.fuzz

# Exact play with a hidden draw pile against brute force and the open game, at length.
hidden: $(READY)
	@HANABILAB_HIDDEN=1500 $(BIN)/python -m pytest tests/solver/test_hidden.py --timeout=0

# The optima of all small games, OPTIMUM seconds for each at most; run it again to resume.
OPTIMUM ?= 5
optimum: $(READY)
	@$(BIN)/hanabilab optimum --all --time-limit $(OPTIMUM) --save optima.csv

# The optimal strategy in all decks of 400 small games: each mean must be exactly the optimum. The bounds
# of games with at most 60 decks: each must be between the optimum and the value with open cards.
optimum-test: $(READY)
	@HANABILAB_OPTIMUM=400 $(BIN)/python -m pytest tests/solver/test_optimum.py tests/lab/test_small_games.py

# Clusters, processes and data sets, with the tests that are too long for every day.
scale: $(READY)
	@HANABILAB_SCALE=1 $(BIN)/python -m pytest tests/lab/test_cluster.py \
		tests/lab/test_processes.py tests/lab/test_dataset.py

# A bot at a stand-in for hanab.live: 200 games with faults, a few minutes.
live-test: $(READY)
	@$(BIN)/python -m tests.live.soak

# The pictures in the documentation: plots of stored results, reviews, and pages in Chromium.
pictures: $(READY)
	@$(BIN)/python -m tests.document_pictures
	@$(BIN)/python -m tests.web.screenshots

# The tables and figures in README.md and docs, written again from docs/results/data.
tables: $(READY)
	@$(BIN)/python -m hanabilab.lab.document_tables

# The stored answers of the page of the experiments, played again (a minute on one core).
questions: $(READY)
	@$(BIN)/python -m hanabilab.lab.questions

bench: $(READY)
	@$(BIN)/hanabilab bench engine
	@$(BIN)/hanabilab bench strategies
	@$(BIN)/hanabilab bench solver

clean:
	@rm -rf .venv .venv-learn .fuzz .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage coverage.xml build dist site
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
