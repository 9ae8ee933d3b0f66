"""The description of the registers: generated files are up to date, errors have a position, the client uses names."""

import pytest

from tb import REPOSITORY
from wirestream.compiler.compile import compile_queries
from wirestream.host.remote import Remote
from wirestream.schema import registers
from wirestream.schema.counters import counter_names
from wirestream.schema.registers import DescriptionError, RegisterError, Registers, UnknownRegister
from wirestream.schema.streams import shipped


@pytest.mark.parametrize(
    ("path", "render"),
    [(REPOSITORY / "docs" / "registers.md", registers.markdown), (registers.VERILOG, registers.verilog)],
)
def test_up_to_date(path, render):
    assert path.read_text() == render(registers.load()), "run `make docs`"


WRONG = [
    ("access: ro", "access: rx", "line 17: id: access 'rx'"),
    ("address: 0x018", "address: 0x014", "local_ip: 0x014 is already used by local_mac"),
    ("name: netmask", "name: gateway", "the name 'gateway' is already used"),
    ("kind: mac", "kind: ip6", "kind 'ip6'"),
    ("address: 0x010", "address: 0x014", "local_mac: address 0x014 is not a multiple"),
    ("address: 0x0c0", "address: 0x100", "group: address 0x100 is not below"),
    ("192.168.1.10", "192.168.1.1000", "local_ip: "),
    ("reset: 5000", "reset: 70000", "result_port: 70000 does not fit 16 bits"),
    ("doc:", "dok:", "unexpected keyword argument 'dok'"),
    ("id: 0x", "ident: 0x", "'id' is missing"),
    ("name: udp_tx_bad,", "name: udp_tx_sent,", "a duplicate name"),
    ("- {name: id", "- [name: id", "line"),
]


@pytest.mark.parametrize(("right", "wrong", "message"), WRONG, ids=[wrong for _, wrong, _ in WRONG])
def test_errors_have_a_place(tmp_path, right, wrong, message):
    text = registers.DESCRIPTION.read_text()
    head, body = text[: text.index("\nid:")], text[text.index("\nid:") :]
    assert right in body
    file = tmp_path / "registers.yml"
    file.write_text(head + body.replace(right, wrong, 1))
    with pytest.raises(DescriptionError) as raised:
        registers.load(file)
    assert str(raised.value).startswith(str(file)) and message in str(raised.value), str(raised.value)
    assert "\n" not in str(raised.value)


class Memory(dict):
    """A bus with one word of memory at every address; `snapshot` reads as `done`."""

    done = 1

    def read32(self, address: int) -> int:
        return self.done if address & 0xFFF == 0x00C else self.get(address, 0)

    def write32(self, address: int, value: int) -> None:
        assert 0 <= value < 1 << 32 and address % 4 == 0
        self[address] = value


def test_client():
    memory = Memory()
    client = Registers(memory, base=0x1000)
    client.local_mac = "02:11:22:33:44:55"
    assert list(memory.items()) == [(0x1010, 0x22334455), (0x1014, 0x0211)]  # the low word first
    assert client.local_mac == "02:11:22:33:44:55"
    client.group[3] = "239.1.2.3"
    assert memory[0x10CC] == 0xEF010203 and client.group[3] == "239.1.2.3" and len(client.group) == 16
    client.switches = 2
    client.promiscuous = True
    assert client.switches == 3 and client.ping is True
    client.ping = False
    assert client.switches == 1
    memory.clear()
    client.set_arp(0xC0A80107, "02:00:00:00:00:07")
    assert list(memory.items())[-1] == (0x1034, 1) and memory[0x1040] == 0xC0A80107
    client.clear_arp("192.168.1.7")
    assert memory[0x1034] == 2
    memory.update({0x1808: 7, 0x180C: 1, 0x1008: 3 << 16})
    assert client.counters() == {"udp_rx_delivered": 0, "udp_rx_bad_frame": (1 << 32) + 7, "udp_rx_other_mac": 0}
    assert {"local_ip", "promiscuous", "counters"} <= set(dir(client))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda r: setattr(r, "local_pi", 1), UnknownRegister, "local_pi: no such register"),
        (lambda r: r.local_pi, AttributeError, "local_pi: no such register"),
        (lambda r: r.group[16], UnknownRegister, r"group\[16\]: the array has at most 16"),
        (lambda r: setattr(r, "version", 1), RegisterError, "version: read-only"),
        (lambda r: r.arp_set, RegisterError, "arp_command: write-only"),
        (lambda r: setattr(r, "result_port", 1 << 16), RegisterError, "result_port: 65536 does not fit 16 bits"),
        (lambda r: setattr(r, "local_ip", "1.2.3"), RegisterError, "local_ip: "),
        (lambda r: setattr(r, "local_mac", "1.2.3"), RegisterError, "local_mac: '1.2.3' is not a MAC"),
        (lambda r: setattr(r, "local_port", 1), RegisterError, "local_port is an array"),
    ],
)
def test_client_names_errors(change, error, message):
    memory = Memory()
    with pytest.raises(error, match=message):
        change(Registers(memory))
    assert not memory  # nothing reached the bus


def test_registers_by_the_names_that_a_person_types():
    circuit = compile_queries("SELECT Price FROM Trades INTO Prices", shipped(), "prices").circuit
    remote = Remote(Memory(), circuit)
    remote.set("result_port", 5001)
    remote.set("local_port[2]", 4002)
    assert (remote.registers.result_port, remote.registers.local_port[2]) == (5001, 4002)
    assert (remote.get("result_port"), remote.get("local_port[2]"), remote.get("local_port[1]")) == (5001, 4002, 0)
    with pytest.raises(RegisterError, match=r"local_port\[x\]: no such register"):
        remote.set("local_port[x]", 1)


def test_a_snapshot_that_never_ends(monkeypatch):
    monkeypatch.setattr(registers, "SNAPSHOT_S", 0.01)
    memory = Memory()
    memory.done = 0
    with pytest.raises(TimeoutError, match="snapshot"):
        Registers(memory).counters()


def test_counters_are_the_events_of_the_stack_and_its_macs():
    names = [counter.name for counter in registers.load().counters]
    assert names == counter_names(REPOSITORY / "rtl/top/udp_echo_10g/ws_udp_echo_10g.v")


def test_a_design_without_a_list_of_events(tmp_path):
    (tmp_path / "ws_none.v").write_text("module ws_none; wire [1:0] eventful = {a, b}; endmodule")
    with pytest.raises(ValueError, match=r"ws_none\.v: no list of events"):
        counter_names(tmp_path / "ws_none.v")
