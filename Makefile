# Each target sets itself up: a clone and Python 3.11 or newer are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test check perf

demo: $(INSTALLED)  ## Reference policies on the library, offline; ends with a table.
	$(BIN)/envscaler demo

test: $(INSTALLED)  ## All tests.
	$(BIN)/python -m pytest

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
	$(BIN)/python perf/synth.py

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
	@echo "Installing into $(VENV) ..."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	touch $@
