# The commands of the project; `make help` lists them.

PYTHON  ?= python3
JOBS    ?= 2
SUDO    ?= $(shell command -v sudo)
VENV    := .venv
PY      := $(VENV)/bin/python
READY   := $(VENV)/.ready

# `make help` shows the variables of each command; tests also read SEED=… and SIM=icarus from the environment.
CORE    ?=
PARAMS  ?=
ARGS    ?=
QUERY   ?=
DATA    ?=
TESTS    = $(wildcard tb/*/test_$(CORE).py)

# The import contracts of pyproject.toml: prints one line if all are kept, else the whole report.
LINT_IMPORTS = report=$$($(VENV)/bin/lint-imports --no-logo --no-cache) && echo "$$report" | grep Contracts: || { echo "$$report"; exit 1; }

.DEFAULT_GOAL := help
.PHONY: help demo board test inventory lint formal synth compare report waves soak docs list icarus chromium clean
# One step at a time: two installs must not run in parallel, and a failed step must stop the command.
.NOTPARALLEL:

help: ## show this list
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## compile a query, simulate it with Ethernet frames, compare with PySpark [QUERY=my.sql] [DATA=my.csv] [ATTACH=host] [ARGS="--tuples 20000"]
	@$(PY) -m tb.demo $(QUERY) $(addprefix --data ,$(DATA)) $(addprefix --attach ,$(ATTACH)) $(ARGS)

board: $(READY) ## run a query on a simulated FPGA on the network [QUERY=my.sql] [ARGS="--tap"]
	@$(PY) -m wirestream.host.board $(or $(QUERY),tb/demo.sql) $(ARGS)

test: $(READY) ## run all tests, or those of one core: make test CORE=udp_rx
ifeq ($(CORE),)
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/codespell
	@$(PY) -m tb.lib.phrases
	@$(LINT_IMPORTS)
	@$(PY) -m pytest -n $(JOBS) --dist worksteal tb
else
	@$(if $(TESTS),,$(error no test for CORE=$(CORE); `make list` shows the cores))
	@$(PY) -m pytest $(TESTS)
endif

inventory: $(READY) ## update tb/inventory.txt from the last good `make test`
	@$(PY) -m tb.lib.inventory

lint: $(READY) ## lint every core (or CORE=…) with all warnings, its parameters, the Python with ruff and import-linter, spelling and phrases
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/codespell
	@$(PY) -m tb.lib.phrases
	@$(LINT_IMPORTS)
	@$(PY) -m wirestream.measure.parameters $(CORE)
	@$(PY) -m wirestream.measure.lint $(CORE)

formal: $(READY) ## prove the properties of every core (or CORE=…)
	@$(PY) -m wirestream.measure.formal $(CORE)

synth: $(READY) ## measure cells and post-route Fmax of a core: make synth CORE=udp_rx [PARAMS="DATA_W=64"] [SEEDS=5] [REQUIRE=125]
	@$(if $(CORE),,$(error no CORE given: make synth CORE=udp_rx; `make list` shows the cores))
	@$(PY) -m wirestream.measure.synth $(CORE) $(PARAMS) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(REQUIRE),--require $(REQUIRE))

compare: $(READY) ## compare our WID aggregate with a literal transcription of the paper's algorithm
	@$(PY) -m wirestream.measure.compare wid

report: $(READY) ## sweep our cores and draw the papers' figures with our curves: docs/report.md [ARGS="--quick"]
	@$(PY) -m wirestream.measure.report --output docs $(ARGS)

waves: $(READY) ## simulate a core and keep the waveform: make waves CORE=wid_aggregate
	@$(if $(CORE),,$(error no CORE given: make waves CORE=skid_buffer; `make list` shows the cores))
	@$(if $(TESTS),,$(error no test for CORE=$(CORE); `make list` shows the cores))
	@rm -f $(or $(WIRESTREAM_BUILD),build)/sim/$(CORE).*waves/dump.vcd
	@WAVES=1 $(PY) -m pytest -q $(TESTS)
	@ls $(or $(WIRESTREAM_BUILD),build)/sim/$(CORE).*waves/dump.vcd

soak: $(READY) ## run all tests with a new random seed, and the long campaigns: a million trades and more
	@SEED=$${SEED:-$$($(PY) -c 'import random; print(random.randrange(2**31))')} $(PY) -m pytest -m "soak or not soak" -n $(JOBS) --dist worksteal tb

docs: $(READY) ## regenerate the generated parts: core table, list of proofs, register map, dialect, predicates, diagrams, figures
	@$(PY) -m wirestream.compiler.cores fusesoc/compiler.core
	@$(PY) -m wirestream.measure.cores --markdown docs/cores.md
	@$(PY) -m wirestream.schema.registers --markdown docs/registers.md --verilog rtl/net/ws_registers.vh
	@$(PY) -m wirestream.schema.host_registers
	@$(PY) -m wirestream.machine.microcode
	@$(PY) -m wirestream.machine.loading
	@$(PY) -m wirestream.compiler.dialect docs/dialect.md
	@$(PY) -m docs.parts
	@$(PY) -m docs.diagrams
	@$(PY) -m docs.figures

list: $(READY) ## list the cores
	@$(PY) -m wirestream.measure.cores

icarus: ## install the optional second simulator (Debian, Ubuntu)
	@command -v iverilog >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq iverilog; } \
		|| echo "iverilog could not be installed: the four-state runs will be skipped"

chromium: ## install the browser in which the tests look at the board's page (Debian)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium >/dev/null; } \
		|| echo "chromium could not be installed: the tests of the page in a browser will be skipped"

clean: ## remove all build products except the Python environment
	rm -rf build

# The Python environment, rebuilt when its sources change.
$(READY): pyproject.toml requirements.lock
	@command -v $(PYTHON) >/dev/null || { echo "python3 (3.11 or newer) is missing: apt install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: set PYTHON=python3.11"; exit 1; }
	@command -v g++  >/dev/null || { echo "g++ is missing (Verilator compiles with it): apt install g++"; exit 1; }
	@command -v perl >/dev/null || { echo "perl is missing (Verilator needs it): apt install perl"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "python3-venv is missing: apt install python3-venv"; exit 1; }
	@case "$$PWD" in *" "*) echo "the path $$PWD contains a space, which make does not support: move the checkout"; exit 1;; esac
	@echo "building the Python environment in $(VENV) (about two minutes) ..."
	@rm -rf $(VENV) && $(PYTHON) -m venv $(VENV) && touch $(VENV)/FUSESOC_IGNORE
	@java=$$("$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p'); \
	extras=dev; [ "$${java:-0}" -ge 17 ] || extras=dev,java; \
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -c requirements.lock \
		--config-settings editable_mode=compat -e ".[$$extras]"
	@mkdir -p build && touch build/FUSESOC_IGNORE $@
