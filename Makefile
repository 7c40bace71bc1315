# Two commands do everything on a fresh machine with Python 3.11 and make:
#   make demo    sets up, runs the whole job on embedded data, ends in a report
#   make test    sets up, passes the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SNAKEMAKE := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake
# The container: TORCH=cpu for machines without a GPU, BASE and BOOTSTRAP for another base than the recipe's.
TORCH ?= cuda
BASE_ARGS := $(if $(BASE),--build-arg base=$(BASE)) $(if $(BOOTSTRAP),--build-arg bootstrap=$(BOOTSTRAP))
LOCKS := $(wildcard docker/*.lock) tests/requirements.lock

.DEFAULT_GOAL := help
.PHONY: help setup demo mini test lint bench image lock clean

help: ## Show what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/ready ## Make .venv with every dependency pinned

$(VENV)/ready: $(LOCKS) docker/install.sh pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"protofair needs Python 3.11 or newer, {sys.executable} is {v[0]}.{v[1]}: make {sys.argv[1]} PYTHON=python3.11")' setup
	@$(PYTHON) -m venv $(VENV)
	@docker/install.sh $(BIN)/python tests/requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup ## Run the whole pipeline on drawings, to results/demo/report.html
	@$(BIN)/protofair plan demo
	@$(SNAKEMAKE) --cores all
	@echo "The report: $(CURDIR)/results/demo/report.html"

mini: setup ## Rerun Table 4 on real UTKFace at small scale; PROTOFAIR_DATA_DIR says where the images are
	@$(BIN)/protofair plan mini
	@$(SNAKEMAKE) --cores all
	@$(BIN)/protofair report --compare results/mini/published

test: setup ## Pass the whole test suite
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

lint: setup ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --lint

bench: setup ## Measure the speed, beside its targets
	$(BIN)/python -m bench

image: docker/protofair.sif ## Build the container that snakemake --use-singularity runs in

docker/protofair.sif: docker/protofair.def docker/install.sh docker/selftest.py $(wildcard docker/*.lock)
	apptainer build --fakeroot --force --build-arg torch=$(TORCH) $(BASE_ARGS) $@ docker/protofair.def

lock: ## Resolve the dependencies anew into the hashed lock files
	$(BIN)/python docker/lock.py

clean: ## Remove the virtual environment
	rm -rf $(VENV)
