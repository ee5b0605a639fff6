# Every target sets up .venv by itself, and again only when pyproject.toml has changed. The demo
# installs what it needs, a minute's work; the other targets install the developers' tools too.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := $(VENV)/.demo
SOURCES := modelcompare tests docs experiments notebooks

.DEFAULT_GOAL := help
.PHONY: help demo test test-all unplugged docs validate validate-quick validate-methods robustness clusters bench paper lint format

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 26

demo: $(or $(wildcard $(STAMP)),$(DEMO)) ## Compare the models of the example that ships, and draw a forest plot
	$(BIN)/modelcompare demo

# A process on each core: threads of the matrix library would wait for one another. Modules stay
# compiled, as the tests start many programs.
test test-all: export OMP_NUM_THREADS := 1
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: $(STAMP) ## Run the unit tests and the doctests, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not (pages or experiments or slow or unplugged)"

test-all: $(STAMP) ## The same, the experiments, and all that pages, notebooks and the site show
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not unplugged"

unplugged: $(STAMP) ## Run the tests in copies without each of the plugins, and without all (an hour)
	$(BIN)/python -m pytest -m unplugged tests/plugins/test_unplug.py

docs: $(STAMP) ## Build the documentation into site/, offline and with warnings as errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

validate: $(STAMP) ## Simulate every default where data are sparse, read a million mutated files (hours; goes on)
	$(BIN)/python -m experiments.validity.grid
	$(BIN)/python -m experiments.validity.ceiling --jobs 2
	$(BIN)/python -m experiments.robustness --only fuzz --cases 1000000 --minutes 50 --jobs 2

validate-quick: $(STAMP) ## The same in a few cells (under 5 minutes on 2 cores)
	$(BIN)/python -m experiments.validity.grid --tier quick

validate-methods: $(STAMP) ## Simulate each interval and test by name (under 20 minutes on 2 cores)
	$(BIN)/python -m experiments.validity.simulate

robustness: $(STAMP) ## Kill writers, mutate files, measure memory, and count (hours)
	$(BIN)/python -m experiments.robustness

clusters: ## Run the tests on Spark (which needs Java), on Ray and of S3, in an environment of their own
	@test -d $(VENV)-clusters || $(PYTHON) -m venv $(VENV)-clusters
	$(VENV)-clusters/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable ".[all]" boto3 hypothesis "moto[server]>=5" "pyspark>=4" pytest "ray>=2.9"
	$(VENV)-clusters/bin/python -m pytest tests/clusters

bench: $(STAMP) ## Run the benchmarks, and keep what they print in experiments/benchmarks/results
	$(BIN)/python -m experiments.benchmarks

paper: $(STAMP) ## Make the replication's tables and figures from the kept predictions
	$(BIN)/python -m experiments.snli_sepcnn.paper
	$(BIN)/python -m experiments.snli_sepcnn.training

lint: $(STAMP) ## Check style, types, the order of the rooms, and links
	$(BIN)/ruff check $(wildcard $(SOURCES))
	$(BIN)/ruff format --check $(wildcard $(SOURCES))
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --quiet tests/test_links.py

format: $(STAMP) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix $(wildcard $(SOURCES))
	$(BIN)/ruff format $(wildcard $(SOURCES))

# Without a stamp an existing environment is incomplete and is made again.
# Without compiling: that takes half of the minute, and the demo compiles the modules that it imports.
$(DEMO): WANTED := --no-compile --editable ".[plot]"
$(STAMP): WANTED := --editable ".[dev]"
$(DEMO) $(STAMP): pyproject.toml
	@test -f $(DEMO) || test -f $(STAMP) || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(WANTED)
	@touch $@
