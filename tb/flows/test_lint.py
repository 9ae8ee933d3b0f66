"""Every core is lint clean at its defaults and at other parameters, and works with stock FuseSoC."""

import os
import subprocess
import sys
from importlib import import_module

import pytest
import yaml

from tb import REPOSITORY
from tb.lib.run import design
from wirestream.measure.cores import LIBRARIES, Core, cores
from wirestream.measure.lint import configurations, lint, main

ALL = cores()
CONFIGURATIONS = configurations()
DIVISORS = ("remainder.DIVISOR=1.NUMBER_W=10", "remainder.DIVISOR=1024.NUMBER_W=64")


def label(one: str | dict) -> str:
    """A test id for a core, or for its parameters."""
    return one if isinstance(one, str) else "-".join(f"{name}={value}" for name, value in one.items()) or "defaults"


@pytest.mark.parametrize(("name", "parameters"), CONFIGURATIONS, ids=label)
def test_lint(name, parameters):
    """The same as `make lint`."""
    core = yaml.safe_load(next(c for c in ALL if c.name == name).path.read_text())
    assert parameters.keys() <= core.get("parameters", {}).keys(), "a parameter that the core does not offer"
    lint(design(name).with_parameters(**parameters))


def test_the_command_tries_the_matrix(capsys):
    """`make lint` lints the same parameters as `make test`."""
    main(["skid_buffer", "remainder"])
    clean = ["skid_buffer", "skid_buffer.DATA_W=1", "remainder", *DIVISORS]
    assert capsys.readouterr().out.splitlines() == [f"{one}: lint clean" for one in clean]
    assert [name for name, parameters in CONFIGURATIONS if not parameters] == [core.name for core in ALL]
    assert len(CONFIGURATIONS) > len(ALL) + 50


def fusesoc(target: str, *words: str, **environment: str) -> None:
    command = [sys.executable, "-m", "fusesoc.main", "run", f"--target={target}", *words]
    env = os.environ | environment
    done = subprocess.run(command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["skid_buffer", "inet_checksum", "select_const", "gate"])
def test_fusesoc_simulates(name):
    """One core of each library; the tests of the others take the same steps, without the command of FuseSoC."""
    fusesoc("sim", name)


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_every_core_has_what_fusesoc_needs_to_simulate_it(core: Core):
    targets = yaml.safe_load(core.path.read_text())["targets"]
    assert targets["sim"] == targets["default"] | {"flow": "ws_sim"}
    assert (REPOSITORY / "tb" / core.library / f"test_{core.name}.py").is_file()


@pytest.mark.parametrize("target", ["lint", "sim"])
def test_fusesoc_takes_parameters(target):
    fusesoc(target, "skid_buffer", "--DATA_W", "5")


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_targets_have_the_options_of_their_flows(core: Core):
    """An option of another flow would be ignored silently."""
    for target in yaml.safe_load(core.path.read_text())["targets"].values():
        if options := target.get("flow_options"):
            flow = import_module(f"edalize.flows.{target['flow']}")
            assert options.keys() <= getattr(flow, target["flow"].capitalize()).get_flow_options().keys()


def above(core: Core, data: dict) -> list[str]:
    """The dependencies of a core in libraries after its own in `LIBRARIES`; constraint files are for `top` only."""
    order = {library: n for n, library in enumerate(LIBRARIES)} | {"constraints": LIBRARIES.index("top")}
    needed = [name for files in data["filesets"].values() for name in files.get("depend", [])]
    return [name for name in needed if order[name.split(":")[1]] > order[core.library]]


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_each_library_uses_those_before_it(core: Core):
    """For example, `fix` does not depend on `query`, nor `query` on `join`."""
    assert above(core, yaml.safe_load(core.path.read_text())) == []


def test_a_library_that_uses_one_after_it_is_found():
    (core,) = (core for core in ALL if core.name == "fix_demux")
    assert above(core, {"filesets": {"rtl": {"depend": ["wirestream:query:delay"]}}}) == ["wirestream:query:delay"]


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_default_target_needs_nothing_of_ours(core: Core):
    """No flow of this project, no path outside the core's folder, no parameter forced on users, no missing file."""
    data = yaml.safe_load(core.path.read_text())
    target = data["targets"]["default"]
    assert target.keys() <= {"filesets", "toplevel", "parameters"}
    assert all(p.startswith("is_toplevel? (") for p in target.get("parameters", []))
    for name in target["filesets"]:
        files = data["filesets"][name]["files"]
        assert files
        for file in [next(iter(f)) if isinstance(f, dict) else f for f in files]:  # a dict: with its attributes
            assert ".." not in file and (core.path.parent / file).is_file(), file
    assert (core.path.parent / f"{target['toplevel']}.v").is_file()
    assert target["toplevel"] == f"ws_{core.name}"
