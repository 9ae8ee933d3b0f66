"""wirestream.schema.fix: parameters from a description of FIX messages, and its one-line errors."""

from __future__ import annotations

import copy

import pytest
import yaml

from tb.fix.golden import ORDERS
from wirestream.schema import fix

DESCRIBED = yaml.safe_load(ORDERS.read_text())


def changed(path: str, value: object) -> dict:
    """The description of the orders with another value at `path`; None removes it."""
    described = copy.deepcopy(DESCRIBED)
    *folders, last = path.split("/")
    at = described
    for folder in folders:
        at = at[folder]
    at[last] = value
    if value is None:
        del at[last]
    return described


def test_registers_are_shared():
    orders = fix.read(DESCRIBED)
    names = [unit.name for unit in orders.units]
    assert names.count("ClOrdID") == names.count("TransactTime") == names.count("Side") == 1
    assert names.index("PartyID2") - names.index("PartyID1") == 2
    assert orders.groups == ((453, 448),)
    assert [message.width for message in orders.messages] == [496, 264, 192]


def test_a_default_of_another_message_is_another_register():
    orders = fix.read(changed("messages/OrderCancelRequest/fields/Side/default", "7"))
    assert [unit.default for unit in orders.units if unit.name == "Side"] == [None, ord("7")]


def test_defaults_of_a_description():
    """Default: the data fields of FIX 4.0 to 5.0 SP2 and three BeginStrings."""
    data = dict(fix.read(DESCRIBED).data)
    assert len(data) == 83
    assert (
        data.items() >= {93: 89, 95: 96, 445: 446, 621: 622, 1184: 1185, 1401: 1402, 41873: 41874, 43110: 42486}.items()
    )
    assert fix.read(DESCRIBED).begin_strings == ("FIX.4.2", "FIX.4.4", "FIXT.1.1")
    own = fix.read(changed("begin_strings", ["FIX.4.0", "FIX.4.3"]) | {"data": {95: 96}})
    assert (own.begin_strings, own.data) == (("FIX.4.0", "FIX.4.3"), ((95, 96),))


@pytest.mark.parametrize(
    "kind, value, bits",
    [
        ("int", -1, 2**32 - 1),
        ("price(4)", -(10**18) + 1, 2**64 - 10**18 + 1),
        ("string(4)", "AB", 0x41420000),
        ("uint", 999_999_999, 999_999_999),
    ],
)
def test_defaults(kind, value, bits):
    assert fix.Kind.parse(kind).bits(value) == bits


NEW = "messages/NewOrderSingle"


@pytest.mark.parametrize(
    "path, value, reason",
    [
        ("name", "Two Words", "must have lower-case letters"),
        ("messages", {}, "messages is empty"),
        ("messages", [1], "must be name: description"),
        ("other", 1, "required keys: messages, name, optional: begin_strings, data"),
        (f"{NEW}/type", "ABCD", "1 to 3 characters"),
        (f"{NEW}/type", "F", "two messages have type F"),
        (f"{NEW}/fields", None, "required keys: fields, type"),
        (f"{NEW}/fields", 5, "must be name: description"),
        (f"{NEW}/fields/Side/type", "double", "unknown type 'double'"),
        (f"{NEW}/fields/Side/type", "string(65)", "unknown type"),
        (f"{NEW}/fields/Price/type", "price(9)", "unknown type"),
        (f"{NEW}/fields/Side/tag", 35, "except 8, 9, 10 and 35"),
        (f"{NEW}/fields/Side/tag", 1_000_000, "must be 1 to 999999"),
        (f"{NEW}/fields/Side/tag", 11, "tag 11 appears twice"),
        (f"{NEW}/fields/Price/default", 1.5, "not an integer"),
        (f"{NEW}/fields/OrderQty/default", 10**9, "not an integer"),
        (f"{NEW}/fields/Side/default", "12", "more than 1 bytes"),
        (f"{NEW}/groups/NoPartyIDs/first", "Side", "first must be one of its fields"),
        (f"{NEW}/groups/NoPartyIDs/entries", 17, "entries must be 1 to 16"),
        (f"{NEW}/groups/NoPartyIDs/tag", 448, "tag 448 appears twice"),
        (f"{NEW}/groups/NoPartyIDs/tag", 55, "tag 55 appears twice"),
        ("begin_strings", [], "must be a list of at least one"),
        ("begin_strings", "FIX.4.3", "must be a list of at least one"),
        ("begin_strings", ["FIX.4.3", 4.4], "begin_strings: 4.4 must be 1 to 8 characters"),
        ("begin_strings", ["FIXT.1.10"], "begin_strings: 'FIXT.1.10' must be 1 to 8 characters"),
        ("data", {95: 8}, "except 8"),
        ("data", {5: 6}, "5 must have at least two digits"),
        ("data", {95: 96, 96: 97}, "not be a data field itself"),
    ],
)
def test_refusals(path, value, reason, tmp_path, capsys):
    file = tmp_path / "wrong.yml"
    file.write_text(yaml.safe_dump(changed(path, value)))
    assert fix.main([str(file), "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert reason in said
    assert said.startswith(f"wirestream.schema.fix: {file}: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("*.v"))
