"""Another repository uses the stack with FuseSoC alone: docs/examples/udp_ip_dependency, by the commands of its README.

The environment contains FuseSoC and its requirements, in the versions pinned here, and no wirestream. It is made of
copies of the installed files, so that the test needs no network. The example is copied out of this repository.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import venv
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from tb import REPOSITORY
from wirestream.design import environment
from wirestream.sim.simulate import icarus_installed

DOCS = REPOSITORY / "docs"
README = DOCS / "examples" / "udp_ip_dependency" / "README.md"
DEFAULT = "verilator"
# Faults to inject into udp_shout.v, and the message of the simulation.
NO_ANSWER, WRONG = "FAIL: [01] ARP answers and 0 datagrams", "FAIL: this is not the answer"
FAULTS = {
    "not in capitals": ("heard - 8'h20", "heard", WRONG),
    "from another port": ("{dst_port, src_ip, src_port, bad}", "{src_port, src_ip, src_port, bad}", WRONG),
    "another address": (".local_ip(IP)", ".local_ip(IP + 32'd1)", NO_ANSWER),
    "nothing sent": (".s_axis_tvalid(valid)", ".s_axis_tvalid(1'b0)", NO_ANSWER),
}
icarus = pytest.mark.skipif(not icarus_installed(), reason="iverilog is not installed")
TOOLS = [  # each build with Verilator takes seconds
    pytest.param(DEFAULT, ["from another port"], id=DEFAULT),
    pytest.param("icarus", list(FAULTS), id="icarus", marks=icarus),
]


@dataclass(frozen=True)
class Workspace:
    """A folder outside this repository, and the environment variables of the commands that run there."""

    home: Path
    env: dict[str, str]

    @property
    def verilog(self) -> Path:
        return self.home / "udp_shout" / "udp_shout.v"

    def sh(self, command: str) -> subprocess.CompletedProcess:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.run(["sh", "-c", command], cwd=self.home / "workspace", env=self.env, text=True, **pipes)

    def run(self, target: str, tool: str = DEFAULT) -> subprocess.CompletedProcess:
        """Run the README's command for a target with a tool."""
        option = "" if tool == DEFAULT else f" --tool={tool}"
        (command,) = [c for c in commands() if c.endswith(f"--target={target} example:demo:udp_shout{option}")]
        return self.sh(command)

    def break_it(self, good: str, bad: str) -> None:
        text = self.verilog.read_text()
        assert text.count(good) == 1
        self.verilog.write_text(text.replace(good, bad))


def commands() -> list[str]:
    """The commands of the README, with this repository as the library."""
    (block,) = re.findall(r"^```sh\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    return block.replace("<this repository>", str(REPOSITORY)).splitlines()


def required(name: str) -> set[str]:
    """A package and all its requirements."""
    found, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            requirements = map(Requirement, distribution(name).requires or [])
            waiting += [r.name for r in requirements if not r.marker or r.marker.evaluate({"extra": ""})]
    return found


def environment_with(folder: Path, package: str) -> None:
    """Make a Python environment with one package and its requirements."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/*/site-packages")
    for name in required(package):
        for file in distribution(name).files:
            if ".." not in file.parts and file.suffix != ".pyc":
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), site / file)


@pytest.fixture(scope="module")
def stock(tmp_path_factory) -> dict[str, str]:
    """The environment variables of a shell that finds FuseSoC and the simulators, but not this project."""
    folder = tmp_path_factory.mktemp("stock")
    environment_with(folder, "fusesoc")
    script = folder / "bin" / "fusesoc"  # as pip writes it
    script.write_text(f"#!{folder}/bin/python\nfrom fusesoc.main import main\nmain()\n")
    script.chmod(0o755)
    ours = environment()
    here = [p for p in os.environ["PATH"].split(os.pathsep) if not Path(p).is_relative_to(REPOSITORY)]
    return {
        k: v for k, v in ours.items() if not k.startswith(("PYTHON", "PYTEST", "XDG", "FUSESOC", "VIRTUAL_ENV"))
    } | {
        "PATH": os.pathsep.join([str(folder / "bin"), f"{ours['VERILATOR_ROOT']}/bin", *here]),
        # Build without optimisation; the rule for precompiled headers is broken in this packaging of Verilator.
        "MAKEFLAGS": "OPT_FAST=-O0 OPT_GLOBAL=-O0 VK_PCH_I_FAST= VK_PCH_I_SLOW=",
    }


@pytest.fixture
def workspace(stock, tmp_path) -> Workspace:
    """The workspace after the README's commands before `fusesoc run`, in its own home folder."""
    workspace = Workspace(tmp_path, stock | {"HOME": str(tmp_path)})
    install, copy, make, change, *libraries = [c for c in commands() if not c.startswith("fusesoc run")]
    assert install == "pip install fusesoc" and change == "cd ~/workspace"
    for command in (copy, make):
        subprocess.run(["sh", "-c", command], cwd=REPOSITORY, env=workspace.env, check=True)
    for command in libraries:
        done = workspace.sh(command)
        assert done.returncode == 0, done.stdout
    return workspace


def test_nothing_of_ours_is_installed(workspace):
    done = workspace.sh("python -c 'import wirestream'; python -c 'import edalize.flows.ws_sim'; fusesoc core list")
    assert "No module named 'wirestream'" in done.stdout
    assert "No module named 'edalize.flows.ws_sim'" in done.stdout
    for core in ("example:demo:udp_shout:1.0.0", "wirestream:net:udp_ip_stack:"):
        assert len(re.findall(rf"^{core}", done.stdout, re.MULTILINE)) == 1, done.stdout
    assert "ERROR" not in done.stdout and "failed" not in done.stdout, done.stdout


def test_one_line_takes_the_stack_in():
    folder = README.parent / "udp_shout"
    lines = [line.strip() for file in folder.iterdir() for line in file.read_text().splitlines()]
    assert [line for line in lines if line.startswith("- wirestream:")] == ["- wirestream:net:udp_ip_stack"]


def test_page_quotes_the_example():
    (block,) = re.findall(r"^```verilog\n(.*?)^```", (DOCS / "network.md").read_text(), re.DOTALL | re.MULTILINE)
    verilog = {line.strip() for line in (README.parent / "udp_shout" / "udp_shout.v").read_text().splitlines()}
    assert {line.strip() for line in block.splitlines() if line and "//" not in line} <= verilog


def test_lint(workspace):
    done = workspace.run("lint")
    assert done.returncode == 0, done.stdout
    assert "%Warning" not in done.stdout and re.search(r"Built from .* in \d\d modules", done.stdout), done.stdout
    workspace.break_it("wire [117:0] user;", "wire [116:0] user;")
    done = workspace.run("lint")
    assert done.returncode != 0 and "WIDTHEXPAND" in done.stdout, done.stdout


def frames(output: str, where: str) -> list[Ether]:
    return [Ether(bytes.fromhex(frame)) for frame in re.findall(rf"^{where} the design +(\w+)$", output, re.MULTILINE)]


def check_conversation(output: str) -> None:
    """Parse the frames that the bench printed with Scapy, and check them."""
    request, question = frames(output, "to")
    arp, answer = [frame for frame in frames(output, "from") if frame.dst == request.src]
    assert (request[ARP].op, request[ARP].pdst, request.dst) == (1, "192.168.1.10", "ff:ff:ff:ff:ff:ff")
    assert (arp[ARP].op, arp[ARP].psrc, arp[ARP].hwsrc) == (2, "192.168.1.10", "02:00:00:00:00:01")
    assert (arp[ARP].pdst, arp[ARP].hwdst) == (request[ARP].psrc, request.src)
    assert question[UDP].payload.load == b"hello, world" and answer[UDP].payload.load == b"HELLO, WORLD"
    assert (answer.src, answer.dst) == (question.dst, question.src)
    assert (answer[IP].src, answer[IP].dst) == (question[IP].dst, question[IP].src)
    assert (answer[UDP].sport, answer[UDP].dport) == (question[UDP].dport, question[UDP].sport)
    again = answer.copy()
    del again[IP].chksum, again[IP].len, again[UDP].chksum, again[UDP].len
    assert bytes(again) == bytes(answer), "lengths or checksums are wrong"


def check_readme(output: str) -> None:
    (block,) = re.findall(r"^```\n(to the design.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    for line in block.splitlines():
        assert f"\n{line.removesuffix(' ...')}" in output, line


@pytest.mark.parametrize(("tool", "faults"), TOOLS)
def test_simulation(workspace, tool, faults):
    done = workspace.run("sim", tool)
    assert done.returncode == 0, done.stdout
    check_conversation(done.stdout)
    check_readme(done.stdout)
    good = workspace.verilog.read_text()
    for fault in faults:
        *change, message = FAULTS[fault]
        workspace.verilog.write_text(good)
        workspace.break_it(*change)
        done = workspace.run("sim", tool)
        assert done.returncode != 0 and re.search(message, done.stdout), done.stdout


def test_without_the_library(workspace):
    conf = workspace.home / "workspace" / "fusesoc.conf"
    ours, theirs = conf.read_text().split("\n\n", 1)
    assert ours.startswith("[library.wirestream]")
    conf.write_text(theirs)
    done = workspace.run("sim")
    assert done.returncode != 0 and "depends on missing packages" in done.stdout, done.stdout
