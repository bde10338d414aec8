# `make demo` shows what this is, `make test` runs every check; both set up what they need first.

PYTHON ?= $(firstword $(foreach python,python3 python3.13 python3.12 python3.11,$(shell \
	$(python) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(python))))
VENV := .venv
BIN := $(VENV)/bin
# Set up again only when what is installed changes, so that it works without a network after that.
READY := $(VENV)/.ready-$(shell sed '/^\[tool\./,$$d' pyproject.toml | cksum | tr ' ' -)
WHEEL_VENV := build/wheel-venv

.PHONY: demo test lint types imports generated test-wheel test-tree bench nightly setup clean

demo: setup
	$(BIN)/pi-contracts demo

test: lint types imports generated test-wheel test-tree

setup: $(READY)

$(READY):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable '.[pydantic,websockets,telemetry]'
	$(BIN)/python -m compileall -q contracts codegen runtime plugins cli.py
	rm -f $(VENV)/.ready-*
	touch $@

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	$(BIN)/mypy
	$(BIN)/basedpyright

imports: setup
	$(BIN)/lint-imports

generated: setup
	$(BIN)/pi-contracts gen --check
	$(BIN)/pi-contracts check --strict

# The tests against the built wheel, in an environment that has the same libraries and no checkout.
test-wheel: setup
	rm -rf build/wheel build/lib build/bdist.* $(WHEEL_VENV)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(BIN)/python -m venv --without-pip $(WHEEL_VENV)
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> $$($(WHEEL_VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/libraries.pth
	$(BIN)/python -m pip --python $(WHEEL_VENV)/bin/python install --quiet --disable-pip-version-check --no-deps --no-index build/wheel/*.whl
	ln -s $(abspath $(BIN))/ruff $(abspath $(BIN))/basedpyright $(abspath $(BIN))/mypy $(WHEEL_VENV)/bin
	$(WHEEL_VENV)/bin/python -P -m pytest -p no:cacheprovider --quiet --numprocesses auto

test-tree: setup
	$(BIN)/pytest --numprocesses auto --cov --cov-report=term:skip-covered

bench: setup
	@$(BIN)/python benchmarks/machine.py
	@for file in benchmarks/*.py; do \
		test $$file = benchmarks/machine.py || { echo; echo "== $$file"; $(BIN)/python $$file || exit 1; }; \
	done

nightly: setup
	$(BIN)/pytest --hypothesis-profile=nightly -m 'nightly or not nightly'
	$(MAKE) bench

clean:
	rm -rf build dist $(VENV) *.egg-info
