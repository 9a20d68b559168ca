# Two commands do everything: `make lab` opens the notebooks, `make test` runs the tests.
# Each sets up what is missing first; a second call finds it in place.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --loglevel=error
VECTORS := build/vectors

.PHONY: lab test test-all unit front-end documentation notebooks browser lint format bundle bench run-notebooks zh docs slides lite linkcheck screenshots constraints oldest clean
.DELETE_ON_ERROR:

lab: .venv/.lab
	$(BIN)/mixwidgets lab notebooks/00_start_here.ipynb

# `make test` leaves the tests that are marked slow, and the lessons that train for long, to `make test-all`, which
# continuous integration runs.
PARTS = front-end unit documentation notebooks browser
SLOW = $(if $(ALL),,and not slow)
NOTEBOOKS = $(if $(ALL),notebooks,$(patsubst %,notebooks/%_*.ipynb,00 01 02 09))

# Every part runs, also after one that failed; the last lines name those that did.
test-all: ALL = yes
test test-all:
	@failed=; \
	for part in $(PARTS); do $(MAKE) --no-print-directory $$part ALL=$(ALL) || failed="$$failed $$part"; done; \
	for part in $$failed; do echo "$$part failed. To run it alone: make $$part$(if $(ALL), ALL=yes)"; done; \
	test -z "$$failed"

# The parts. Those that Python runs share the cores among processes.

SHARED = -n auto --maxprocesses 8 --dist loadfile

unit: .venv/.test node_modules/.installed
	$(BIN)/python -m pytest -m "not browser and not prose $(SLOW)" $(SHARED) --ignore=tests/documentation

front-end: node_modules/.installed $(VECTORS)/.made
	$(NPM) run check
	$(NPM) test

# Builds it, trains what its examples train, and looks at pages as they are printed and shown.
documentation: .venv/.test .venv/.browser build/npm/.made
	$(BIN)/python -m pytest --timeout=900 tests/documentation

# The Chinese edition has the English one's code and outputs (tests/repository/test_chinese_lessons.py): run once.
notebooks: .venv/.test
	$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-cell-timeout=600 --timeout=900 $(SHARED) -p no:cacheprovider --ignore=notebooks/zh $(NOTEBOOKS)

browser: .venv/.test .venv/.browser build/npm/.made build/wheels/.made node_modules/.installed
	$(BIN)/python -m pytest -m "browser $(SLOW)" -n auto --maxprocesses 8 --dist worksteal tests/browser

# For those who work on it

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m prose tests/repository

format: .venv/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bundle: node_modules/.installed
	$(NPM) run build

bench: .venv/.test node_modules/.installed
	$(BIN)/python -m benchmarks

run-notebooks: .venv/.test .venv/.browser
	$(BIN)/python -m notebooks.run
	$(BIN)/python -m notebooks.zh.edition

zh: .venv/.test
	$(BIN)/python -m notebooks.zh.edition

docs: .venv/.test build/npm/.made
	$(BIN)/python -m sphinx -E -q -W --keep-going docs build/docs
	$(BIN)/python -m docs.slides build/docs/slides
	@echo "open build/docs/index.html"

slides: .venv/.test build/npm/.made
	$(BIN)/python -m docs.slides build/docs/slides
	@echo "open build/docs/slides/index.html"

# JupyterLite: notebooks in the browser's own Python. Serve the folder: `python -m http.server -d build/lite`.
lite: .venv/.test build/npm/.made build/wheels/.made
	$(BIN)/python -m lite.build
	@echo "serve build/lite, and open lab/index.html?path=scratch.ipynb there"

linkcheck: .venv/.test  # asks every site that the pages name, so it is no part of `make test`
	$(BIN)/python -m sphinx -q -b linkcheck docs build/linkcheck

screenshots: .venv/.test .venv/.browser
	$(BIN)/python -m docs.screenshots

constraints:
	$(PYTHON) -m venv --clear build/pinned
	build/pinned/bin/pip install --quiet torch==2.13.0 -e '.[test,sweep]'
	build/pinned/bin/pip freeze --exclude-editable | sed 's/+cpu//' > constraints.txt

# The unit tests beside the oldest packages that pyproject.toml allows (gigabytes, where torch's is a CUDA build).
oldest:
	$(PYTHON) -m venv --clear build/oldest
	build/oldest/bin/pip install --quiet uv
	build/oldest/bin/uv pip install --quiet --python build/oldest --resolution lowest-direct -e '.[train,sweep,export,fast,lab]'
	build/oldest/bin/uv pip freeze --quiet --python build/oldest --exclude-editable > build/oldest/packages.txt
	build/oldest/bin/uv pip install --quiet --python build/oldest -c build/oldest/packages.txt -e '.[test]'
	build/oldest/bin/python -m pytest -W default -m "not browser" -n auto --maxprocesses 8 --dist loadfile --ignore=tests/documentation --deselect tests/repository/test_environment.py::test_binder_resolves_to_this_environment

clean:
	rm -rf .venv build node_modules

# Setting up

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.lab: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) install -c constraints.txt -e '.[lab,train]'
	touch $@

.venv/.test: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) install -c constraints.txt -e '.[test]'
	touch $@ .venv/.lab

.venv/.browser: .venv/.test
	$(BIN)/python -m tests.browser.chromium || $(BIN)/python -m playwright install chromium
	touch $@

# Packages that are used as they are, without all that npm would install for them: by browser tests, by the slides, which
# have reveal.js beside them, and by JupyterLite.
PACKED = @vscode/jupyter-ipywidgets8@1.0.9 requirejs@2.3.8 @jupyter-widgets/html-manager@1.0.15 reveal.js@4.6.1 pyodide@314.0.7
build/npm/.made: Makefile .venv/.test
	mkdir -p $(@D)
	cd $(@D) && for package in $(PACKED); do file=$$($(NPM) pack --silent $$package) && mkdir -p $${file%.tgz} && tar -xzf $$file -C $${file%.tgz} --strip-components=1 || exit 1; done
	touch $@

# What Python in the browser imports beside our own wheel: wheels without compiled code.
build/wheels/.made: lite/wheels.txt constraints.txt .venv/.test
	rm -rf $(@D)
	$(PIP) download -d $(@D) --no-deps --platform any --python-version 3.14 -c constraints.txt -r lite/wheels.txt
	touch $@

node_modules/.installed: package.json package-lock.json .venv/.test
	$(NPM) ci
	touch $@

$(VECTORS)/.made: $(addprefix tests/vectors/,make_formats.py every_format.py format_oracle.py) .venv/.test
	$(BIN)/python tests/vectors/make_formats.py --exhaustive $(VECTORS)
	touch $@
