# make demo   the main job, from nothing: environment, run, and a report with a moving picture in out/
# make test   the tests that every change must pass, from nothing; make verify runs the long ones
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.runs
STAMP := $(VENV)/.installed
PLAIN := tests/geometry tests/gravity tests/scalars tests/verification --ignore tests/scalars/test_compile.py -k "not test_promise and not test_every_system or FreeRigidBody or FullTwoBodyProblem"

# compiled Python files, and pytest's own of the tests, are kept whatever the shell says: else every process makes them anew
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test verify lint docs bench soak mutate clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "polhode needs Python 3.11 or newer (make PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[plot]'
	$(BIN)/python -m compileall -q src  # which pip does for all but editable installs
	@touch $(READY)

$(STAMP): $(READY)
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $(STAMP)

demo: $(READY)  ## run the demonstration; results in out/
	$(BIN)/polhode run examples/two_dumbbells.toml --out out
	@echo
	@echo "Open $(CURDIR)/out/report.html in a browser: the bodies move there."

test: $(STAMP)  ## run the tests; some minutes
	$(BIN)/python -m pytest -n auto -m "not verify"

# as far as compiled code and BLAS can tell, the second run is on a processor without fused multiply-add and wide vectors, and
# the third, where this one has wider vectors, on one with AVX2 and no more (with a name alone Numba would still take the
# features of this one); how the disk cache works does not depend on the processor
verify: $(STAMP)  ## run the long tests, and some on plainer processors; under 20 minutes on two cores
	$(BIN)/python -m pytest -n auto -m verify tests
	NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/generic OPENBLAS_CORETYPE=Nehalem \
	$(BIN)/python -m pytest -n auto -m "not verify" $(PLAIN)
	if grep -qs avx512f /proc/cpuinfo; then \
	NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/haswell OPENBLAS_CORETYPE=Haswell \
	$(BIN)/python -m pytest -n auto -m "not verify" $(PLAIN); fi

lint: $(STAMP)  ## style, types, layers, lengths of files and docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py

docs: $(STAMP)  ## build the documentation into site/; its pages run, unless `make verify` has run them
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --doctree-dir $(VENV)/doctrees docs site

bench: $(STAMP)  ## speed beside C, compiled on the spot, and beside other programs that are installed
	$(BIN)/polhode bench

soak: $(STAMP)  ## hours: random inputs, killed runs, full disks, and the growth of momentum errors over 10⁸ steps, into docs/soak.md
	POLHODE_RANDOM_CASES=100000 $(BIN)/python -m pytest -n auto tests/test_random_inputs.py tests/io/test_damaged_files.py
	$(BIN)/python -m benchmarks.soak.kills --kills 200
	-$(BIN)/python -m benchmarks.soak.full_disk
	$(BIN)/python -m benchmarks.soak.momentum --steps 1e8 --starts 8

mutate: $(STAMP)  ## many hours: 500 small faults, one by one, each of which must turn a test red; goes on where it was stopped
	$(BIN)/python -m benchmarks.mutation --sample 500 --seed 1 --jobs $(or $(JOBS),1) --results out/mutants --write

clean:  ## remove everything that was made
	rm -rf $(VENV) out site docs/made .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
