# make demo   the main job, from nothing: environment, run, and a report with a moving picture in out/
# make test   the tests, from nothing
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.runs
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "polhode needs Python 3.11 or newer (make PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[view]'
	$(BIN)/python -m compileall -q src  # which pip does for all but editable installs
	@touch $(READY)

$(STAMP): $(READY)
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $(STAMP)

demo: $(READY)  ## run the demonstration; results in out/
	$(BIN)/polhode run examples/two_dumbbells.toml --out out
	@echo
	@echo "Open $(CURDIR)/out/report.html in a browser: the bodies move there."

test: $(STAMP)  ## run the tests
	$(BIN)/python -m pytest -n auto --dist loadgroup

lint: $(STAMP)  ## style, types and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(STAMP)  ## build the documentation into site/
	$(BIN)/mkdocs build --strict

bench: $(STAMP)  ## speed beside a C program compiled on the spot
	$(BIN)/python -m benchmarks

clean:  ## remove everything that was made
	rm -rf $(VENV) out site .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
