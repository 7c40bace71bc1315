# Two commands do everything on a fresh machine with Python 3.11 and make:
#   make demo    sets up, runs the whole job on embedded data, ends in a report
#   make test    sets up, passes the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKS := $(wildcard docker/*.lock) tests/requirements.lock

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench lock clean

help: ## Show what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/ready ## Make .venv with every dependency pinned

$(VENV)/ready: $(LOCKS) docker/install.sh pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"protofair needs Python 3.11 or newer, {sys.executable} is {v[0]}.{v[1]}: make {sys.argv[1]} PYTHON=python3.11")' setup
	@$(PYTHON) -m venv $(VENV)
	@docker/install.sh $(BIN)/python tests/requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

test: setup ## Pass the whole test suite
	$(BIN)/python -m pytest

lint: setup ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup ## Measure the speed, beside its targets
	$(BIN)/python -m bench

lock: ## Resolve the dependencies anew into the hashed lock files
	$(BIN)/python docker/lock.py

clean: ## Remove the virtual environment
	rm -rf $(VENV)
