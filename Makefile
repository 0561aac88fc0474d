# Each target sets itself up: a clone and Python 3.11 or newer are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test test-rl test-ray check perf

demo: $(INSTALLED)  ## Reference policies on the library, offline; ends with a table.
	$(BIN)/envscaler demo

test: $(INSTALLED)  ## All tests.
	$(BIN)/python -m pytest

RL := trl verifiers openenv
RL_VENV ?= .venv-
TORCH ?= torch==2.13.0

test-rl: $(RL:%=$(RL_VENV)%/.installed)  ## RL adapters, each against its library in an environment of its own.
	for library in $(RL); do \
		$(RL_VENV)$$library/bin/python -m pytest -o addopts=-q tests/exports/test_$$library*.py \
			|| exit 1; \
	done

test-ray: $(RL_VENV)ray/.installed  ## Sweeps, audits and synthesis on a Ray cluster and in an object store.
	$(RL_VENV)ray/bin/python -m pytest -o addopts=-q \
		tests/sweep/test_on_ray.py tests/sweep/test_object_store.py

check: $(INSTALLED)  ## Style, types and the conventions of Inspect evaluations.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/inspect-evals-lint envscaler_eval

perf: $(INSTALLED)  ## Measurements; each prints JSON.
	$(BIN)/python perf/episodes.py
	$(BIN)/python perf/list_packs.py
	$(BIN)/python perf/inspect_overhead.py
	$(BIN)/python perf/isolation.py
	$(BIN)/python perf/model_faults.py
	$(BIN)/python perf/synth.py
	$(BIN)/python perf/results.py
	$(BIN)/python perf/coverage.py
	$(BIN)/python perf/exports.py
	$(BIN)/python perf/rl.py

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
	@echo "Installing into $(VENV) ..."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	touch $@

# The store speaks S3 as the real one does; the test environment of Ray has it too.
$(RL_VENV)ray/.installed: pyproject.toml constraints.txt
	@echo "Installing into $(RL_VENV)ray ..."
	test -x $(RL_VENV)ray/bin/python || $(PYTHON) -m venv $(RL_VENV)ray
	$(RL_VENV)ray/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[ray]' pytest hypothesis 'moto[s3,server]'
	touch $@

# Torch comes first, and a version of which there may be a CPU build at hand: that of TRL's own
# choice brings several GB of CUDA along.
$(RL_VENV)%/.installed: pyproject.toml
	@echo "Installing into $(RL_VENV)$* ..."
	test -x $(RL_VENV)$*/bin/python || $(PYTHON) -m venv $(RL_VENV)$*
	test $* != trl || $(RL_VENV)$*/bin/python -m pip install --quiet \
		--disable-pip-version-check $(TORCH)
	$(RL_VENV)$*/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[$*]' pytest
	touch $@
