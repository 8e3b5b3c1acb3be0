# Everything that make does stays inside this checkout and needs no root: Python 3.11 or newer with pip, and make.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
EXAMPLES := $(sort $(wildcard examples/*.yaml))

.PHONY: help compiled demo docs test test-all test-beside test-here test-rest tools check check-style check-types check-layers check-templates page catalog golden bench bench-peers fuzz lock clean .venv
.DELETE_ON_ERROR:

help:
	@echo "make demo      build every example into out/ and say where to look"
	@echo "make test      run the gates and every test that needs no Debian package: the same examples each time, in under 4 minutes on 2 cores"
	@echo "make test-all  run make test, and beside it the rest: lab, browser, vendors' parsers, wheel; what this machine cannot run is skipped with a reason"
	@echo "make tools     install Ansible, its collections and netlab, with which test-all reads emitted files, into .venv-tools"
	@echo "make check     run the gates alone: style, types, layers, templates"
	@echo "make docs      build the documentation into site/, where a warning is an error"
	@echo "make page      bundle web/ into the page of report.html; takes Node and npm, which nothing else does"
	@echo "make catalog   compile the YAML of inventories/ and templates/ into one file, which every command reads instead"
	@echo "make golden    compare every file that the shipped inventories build with its digest in git (UPDATE=--update writes them anew, KEEP=DIR keeps the files)"
	@echo "make bench     print CPU time and memory, each against its floor"
	@echo "make bench-peers  install what bench measures beside, into .venv-peers"
	@echo "make fuzz      search for faults at random (SEED=, SECONDS=); every find is kept as a case for the tests"
	@echo "make lock      write the three locks of requirements anew (UPGRADE=--upgrade moves to the newest versions)"
	@echo "make clean     remove what was made, except .venv"

.venv: .venv/.stamp

.venv/.stamp: requirements.lock requirements-pyavd.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("fabricgen needs Python 3.11 or newer: make PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(PIP) install --quiet --require-hashes --requirement requirements.lock
	$(PIP) install --quiet --require-hashes --no-deps --requirement requirements-pyavd.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# What pip compiles of an installed package, and the templates: each run would compile them anew where Python may not write them.
compiled: .venv
	@$(BIN)/python -m compileall -q fabricgen
	@$(BIN)/python -c 'from fabricgen.outputs.packs.render import Packs; Packs().compile()'

# Every worker would rewrite the assertions of every test file, if it did not find that done. The tests report what cannot be read.
# What this prints are the files of the tests that `make test` leaves out: the workers of test-rest collect no others. A folder is
# newer when a file in it has another name.
REWRITTEN := tests/__pycache__/rewritten
$(REWRITTEN): .venv/.stamp pyproject.toml $(shell find fabricgen tests docs -name '*.py') $(shell find tests -type d ! -name __pycache__) | compiled
	@mkdir -p $(@D)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -qq -m "slow or outside" >$@ || true

demo: compiled
	@mkdir -p out
	@set -e; for inventory in $(EXAMPLES); do \
	    name=$$(basename "$$inventory" .yaml); \
	    echo; echo "== $$inventory"; \
	    $(BIN)/fabricgen build "$$inventory" -o "out/$$name"; \
	    $(BIN)/fabricgen compare "$$inventory" > "out/$$name.compare.txt"; \
	    cat "out/$$name.compare.txt"; \
	done
	@echo; echo "Where to look, for each of: $(notdir $(basename $(EXAMPLES)))"
	@echo "  out/NAME/report.html         all of it to look at, in a browser"
	@echo "  out/NAME.compare.txt         the same cluster as rail-only, rail-optimized and fat-tree"
	@echo "  out/NAME/cabling/cables.csv  every cable: both ends, length, part"
	@echo "  out/NAME/configs/            a directory per switch"
	@echo "  out/NAME/bom/bom.csv         what to buy, with its price and its power"

# The gates run beside the tests: type checking keeps one core busy for a while.
test: compiled $(REWRITTEN)
	@$(MAKE) --no-print-directory --jobs=2 check test-here

# Booted daemons wait more than they compute. The gates and the tests of `make test` use the cores meanwhile, and leave them to the
# daemons, whose timers run. What they print comes in one piece.
test-all: compiled $(REWRITTEN)
	@$(MAKE) --no-print-directory --jobs=3 test-beside test-rest

test-beside: .venv
	@nice -n 5 $(MAKE) --no-print-directory $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) check test-here

# A test that hangs ends its worker (pyproject.toml), and the second one ends the run.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --max-worker-restart 1 -q
WORKERS ?= 2

test-here: .venv
	$(PYTEST) --dist worksteal -m "not slow and not outside"

# Booted daemons wait more than they compute, so there are two workers for each core. One worker runs all tests of a file, which
# share what they boot or build; the files are in the order of tests/conftest.py.
test-rest: WORKERS = 4
test-rest: $(REWRITTEN)
	$(PYTEST) --dist loadfile --no-loadscope-reorder -rs -m "slow or outside" $(shell sed -n 's/: [0-9]*$$//p' $(REWRITTEN))

# They have packages of their own, which nothing else here needs.
tools: .venv-tools/.stamp

# The collections of Ansible are in the package `ansible`, of which the tests unpack what they need. The releases are chosen: the first
# has the ansible.netcommon that renders files, the second is the last with Junos. Installing all of it would take a minute.
.venv-tools/.stamp: requirements-tools.lock $(wildcard requirements-collections-*.lock)
	$(PYTHON) -m venv .venv-tools
	.venv-tools/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --requirement requirements-tools.lock
	@set -e; for lock in requirements-collections-*.lock; do \
	    .venv-tools/bin/python -m pip --disable-pip-version-check download --quiet --no-deps --ignore-requires-python --only-binary :all: \
	        --require-hashes --dest .venv-tools/collections --requirement "$$lock"; \
	done
	@touch $@

check: check-style check-types check-layers check-templates

check-style: .venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-types: .venv
	$(BIN)/mypy

check-layers: .venv
	$(BIN)/lint-imports --no-logo

# Two rules of j2lint are left out. S3 wants indentation inside the delimiters, ours stands before them (lstrip_blocks). S7 wants
# one statement per line, but an optional word in a line of configuration reads best in its line.
check-templates: .venv
	$(BIN)/j2lint --ignore S3 S7 -- templates

# What the theme says about the future of MkDocs is no warning about these pages.
docs: .venv
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

# The bundle is kept in the repository, so who leaves web/ alone needs no Node.
page:
	@command -v npm >/dev/null || { echo "make page takes Node 20.12 or newer with npm: the page's sources in web/ are TypeScript" >&2; exit 1; }
	cd web && npm ci --silent && npm run --silent check && npm run --silent build

# A file that was edited since is parsed as YAML, so forgetting this costs milliseconds, and a test asks for it.
catalog: .venv
	$(BIN)/python -m tests.compiled

# A change that touches files of users says which, and why: the digests are written anew in the same commit.
golden: compiled
	$(BIN)/python -m tests.golden $(UPDATE) $(if $(KEEP),--keep $(KEEP))

bench: compiled
	$(BIN)/python -m tests.bench

# What bench measures beside: pyavd with all that it imports, which the tests do without.
bench-peers: .venv
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip --disable-pip-version-check install --quiet "$$(grep -o '^pyavd==[0-9.]*' requirements-pyavd.lock)" \
	    numpy pydantic click ruamel.yaml networkx segno XlsxWriter
	.venv-peers/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --editable .

fuzz: .venv
	$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS))

LOCK = CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet $(UPGRADE) --strip-extras --allow-unsafe --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# requirements-run.lock is for those who install the program alone: the Dockerfile, and sites without a network.
lock: .venv
	$(LOCK) --output-file requirements-run.lock pyproject.toml
	$(LOCK) --constraint requirements-run.lock --extra dev --output-file requirements.lock pyproject.toml
	printf 'ansible-core\nncclient\nnetworklab\n' | CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet $(UPGRADE) --strip-extras --allow-unsafe \
	    --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file requirements-tools.lock -

clean:
	rm -rf out site dist web/node_modules .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find docs fabricgen tests -type d -name __pycache__ -prune -exec rm -rf {} +
