# `make demo` and `make test` work in a fresh clone: they make .venv and install when needed.
# Other Python:  make demo PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# More processes than cores that each start a thread per core slow one another down many times over.
WORKERS ?= 2

.PHONY: help install demo test check format clean

help:
	@echo "make demo    classify Indian Pines and write maps and a report into demo/"
	@echo "make test    run the tests"
	@echo "make check   check format, style, types, imports and sizes"
	@echo "make format  format the code"
	@echo "make clean   remove .venv and everything that was made"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "pdml needs Python 3.11 or newer, got: $$($(PYTHON) --version 2>&1)." \
	       "Try: make PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || echo "[1/3] making $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "[2/3] installing torch (the largest download, a minute or more)"
	@$(PIP) -c constraints.txt "$$(grep '^torch==' constraints.txt)"
	@echo "[3/3] installing pdml and its tools"
	@$(PIP) -c constraints.txt -e ".[dev]"
	@touch $@

# A demo that was interrupted goes on where it was; a finished one is mapped and drawn again.
demo: $(STAMP)
	@$(BIN)/pdml demo --out demo $(if $(wildcard demo/run.json),--resume)

test: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS)

check: $(STAMP)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/size_budget.py

format: $(STAMP)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean:
	rm -rf $(VENV) demo build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find src tests examples docs -name __pycache__ -type d -prune -exec rm -rf {} +
