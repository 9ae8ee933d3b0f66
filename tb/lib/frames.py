"""Ethernet frames for tests, made with Scapy: good UDP frames, every kind of bad one, and the verdict on each.

`verdict` is the reference receiver: plain byte arithmetic without Scapy, so that it shares little with what makes the
frames. Frames are bytes without FCS, except where a name contains `fcs`.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

LOCAL_MAC, LOCAL_IP, LOCAL_PORT = "02:00:00:00:00:01", "192.168.1.10", 4000
PEER_MAC, PEER_IP, PEER_PORT = "02:00:00:00:00:99", "192.168.1.77", 5000
BROADCAST_MAC, BROADCAST_IP = "ff:ff:ff:ff:ff:ff", "255.255.255.255"
# Settings of `filter_frames`: several ports and groups, one entry of each disabled, two groups with one MAC address.
PORTS = (LOCAL_PORT, 0, 0x5A01)
GROUPS = ("239.1.2.3", "0.0.0.0", "224.129.2.3", "239.255.255.250")

# The reasons of ws_udp_rx in order of precedence; the event of each is evt_<reason>.
REASONS = (
    "bad_frame",
    "other_mac",
    "ipv6",
    "arp",
    "not_ip",
    "bad_length",
    "bad_ip_header",
    "bad_ip_checksum",
    "fragment",
    "icmp",
    "igmp",
    "not_udp",
    "other_ip",
    "other_port",
    "bad_udp_checksum",
)
DELIVERED = "delivered"

# UDP options in the format of RFC 9868: checksum, maximum datagram size, timestamps, end of list.
SURPLUS = bytes.fromhex("1d2c 0404 05c0 080a 00112233 44556677 00")


def mac_int(address: str) -> int:
    return int(address.replace(":", ""), 16)


def ip_int(address: str) -> int:
    return int.from_bytes(bytes(int(part) for part in address.split(".")), "big")


def group_mac(address: str) -> str:
    """The MAC address of a multicast IPv4 address (RFC 1112)."""
    return ":".join(f"{byte:02x}" for byte in (0x01005E000000 + ip_int(address) % 2**23).to_bytes(6, "big"))


def fcs(frame: bytes) -> bytes:
    """The four bytes of the frame check sequence in wire order."""
    return struct.pack("<I", zlib.crc32(frame))


def with_fcs(frame: bytes) -> bytes:
    """The frame padded to 60 bytes, with its frame check sequence, as a MAC sends it after the preamble."""
    frame = frame.ljust(60, b"\0")
    return frame + fcs(frame)


def internet_sum(data: bytes) -> int:
    """The ones' complement sum of `data` (RFC 1071): 0xFFFF if the data includes its correct checksum, unless all 0."""
    data = bytes(data)
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


# ---- the reference receiver -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The expected result for a frame. reason: DELIVERED or one of REASONS. payload: the datagram's, if delivered.

    begins: a cut-through receiver may output payload before the frame turns out bad, and then marks its end bad.
    surplus: number of bytes of the IPv4 packet after a delivered datagram, which do not belong to it (RFC 9868).
    """

    reason: str
    payload: bytes = b""
    src_ip: int = 0
    src_port: int = 0
    dst_ip: int = 0
    dst_port: int = 0
    port_index: int = 0
    begins: bool = False
    surplus: int = 0

    @property
    def delivered(self) -> bool:
        return self.reason == DELIVERED

    @property
    def events(self) -> tuple[str, ...]:
        """The events of the frame: its reason, and `surplus` for a delivered datagram that has one."""
        return (self.reason, "surplus") if self.surplus else (self.reason,)


def verdict(
    frame: bytes,
    *,
    bad: bool = False,
    local_mac: str = LOCAL_MAC,
    local_ip: str = LOCAL_IP,
    local_ports: Sequence[int] = (LOCAL_PORT,),
    groups: Sequence[str] = (),
    promiscuous: bool = False,
) -> Verdict:
    """The verdict of a receiver with these addresses on `frame`; bad: the MAC has marked it bad.

    A port 0 or a group 0.0.0.0 is a disabled entry.
    """
    joined = [ip_int(group) for group in groups]
    found = _judge(frame, mac_int(local_mac), ip_int(local_ip), local_ports, [g for g in joined if g], promiscuous)
    return Verdict("bad_frame", begins=found.begins) if bad else found


def _judge(
    frame: bytes, local_mac: int, local_ip: int, ports: Sequence[int], groups: Sequence[int], promiscuous: bool
) -> Verdict:
    def number(data: bytes, offset: int, size: int = 2) -> int:
        return int.from_bytes(data[offset : offset + size], "big")

    # Ethernet: up to two tags before the type
    at = 12
    while at < 20 and number(frame, at) in (0x8100, 0x88A8) and len(frame) >= at + 2:
        at += 4
    if len(frame) < at + 2:
        return Verdict("bad_length")
    # The IP addresses that belong to the frame's MAC address
    mac = number(frame, 0, 6)
    addresses = {local_ip, 0xFFFFFFFF} if mac in (local_mac, 0xFFFFFFFFFFFF) else set()
    addresses |= {group for group in groups if mac == 0x01005E000000 + group % 2**23}
    if not addresses and not promiscuous:
        return Verdict("other_mac")
    kind = number(frame, at)
    if kind != 0x0800:
        return Verdict({0x86DD: "ipv6", 0x0806: "arp"}.get(kind, "not_ip"))

    # IPv4: the packet must be as long as the header claims
    packet = frame[at + 2 :]
    header_bytes, total = 4 * (number(packet, 0, 1) & 15), number(packet, 2)
    whole = len(packet) >= max(20, total)
    header = packet[:header_bytes]
    size = number(packet, header_bytes + 4)  # of the datagram, which may be shorter than the packet
    reason = ""
    if len(packet) < 20:
        reason = "bad_length"
    elif packet[0] >> 4 != 4 or header_bytes < 20 or total < header_bytes or packet[12] >= 224 or packet[12] == 127:
        reason = "bad_ip_header"
    elif internet_sum(header) != 0xFFFF:
        reason = "bad_ip_checksum"
    elif number(header, 6) & 0x3FFF:
        reason = "fragment"
    elif header[9] != 17:
        reason = {1: "icmp", 2: "igmp"}.get(header[9], "not_udp")
    elif number(header, 16, 4) not in addresses and not promiscuous:
        reason = "other_ip"
    elif not 8 <= size <= total - header_bytes:
        reason = "bad_length"
    elif number(packet, header_bytes + 2) not in [port for port in ports if port]:
        reason = "other_port"
    # The payload begins if the headers are good.
    begins = not reason and len(packet) > header_bytes + 8 and size > 8
    if not whole:
        return Verdict("bad_length", begins=begins)
    if reason:
        return Verdict(reason)

    datagram = packet[header_bytes : header_bytes + size]
    pseudo = header[12:20] + struct.pack(">HH", 17, len(datagram))
    if number(datagram, 6) and internet_sum(pseudo + datagram) != 0xFFFF:
        return Verdict("bad_udp_checksum", begins=begins)
    return Verdict(
        DELIVERED,
        payload=datagram[8:],
        src_ip=number(header, 12, 4),
        dst_ip=number(header, 16, 4),
        src_port=number(datagram, 0),
        dst_port=number(datagram, 2),
        port_index=ports.index(number(datagram, 2)),
        begins=begins,
        surplus=total - header_bytes - size,
    )


# ---- frames ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A frame, its name in messages, the expected reason, and whether the MAC has marked it bad."""

    name: str
    data: bytes
    expected: str = DELIVERED
    bad: bool = False


def udp(
    payload: bytes,
    *,
    ether: dict | None = None,
    ip: dict | None = None,
    udp: dict | None = None,
    tags: tuple = (),
    pad: bool = True,
) -> bytes:
    """A UDP frame from the peer to the local address; each dictionary overrides Scapy fields of its layer."""
    packet = Ether(**{"dst": LOCAL_MAC, "src": PEER_MAC, **(ether or {})})
    for tag in tags:
        packet /= tag
    packet /= IP(**{"src": PEER_IP, "dst": LOCAL_IP, **(ip or {})})
    packet /= UDP(**{"sport": PEER_PORT, "dport": LOCAL_PORT, **(udp or {})})
    data = bytes(packet / Raw(payload))
    return data.ljust(60, b"\0") if pad else data


def udp_with_surplus(payload: bytes, surplus: bytes, **layers) -> bytes:
    """A UDP frame whose IPv4 packet has `surplus` after the datagram, such as the options of RFC 9868. Neither the UDP
    length nor the UDP checksum covers the surplus. layers: see `udp`."""
    alone = Ether(udp(payload, **layers))[UDP]
    return udp(payload + surplus, udp={"len": 8 + len(payload), "chksum": alone.chksum}, **layers)


def udp_frame(generator: random.Random, length: int | None = None) -> bytes:
    """A UDP frame of at least 60 bytes, without FCS, of the given or a random length."""
    return udp(generator.randbytes(generator.randrange(200) if length is None else max(0, length - 42)))


def arp_request(sender_ip: str = PEER_IP, sender_mac: str = PEER_MAC, target: str = LOCAL_IP) -> bytes:
    """An ARP request for the local address, from which the receiver learns the peer's."""
    question = ARP(op=1, hwsrc=sender_mac, psrc=sender_ip, pdst=target)
    return bytes(Ether(src=sender_mac, dst=BROADCAST_MAC) / question).ljust(60, b"\0")


def good_frames(payload: bytes) -> list[Frame]:
    """Every legal way to send `payload` to the local port."""
    options = {k: [IPOption_NOP()] * (4 * k) for k in (1, 2, 3, 10)}
    return [
        Frame("plain", udp(payload)),
        Frame("no padding", udp(payload, pad=False)),
        Frame("non-zero padding", udp(payload, pad=False) + b"\xa5" * 23),
        Frame("broadcast MAC", udp(payload, ether={"dst": BROADCAST_MAC})),
        Frame("limited broadcast", udp(payload, ether={"dst": BROADCAST_MAC}, ip={"dst": BROADCAST_IP})),
        Frame("no UDP checksum", udp(payload, udp={"chksum": 0})),
        Frame("don't fragment", udp(payload, ip={"flags": "DF"})),
        Frame("evil bit", udp(payload, ip={"flags": "evil"})),
        Frame("router alert", udp(payload, ip={"options": [IPOption_Router_Alert()]})),
        *(Frame(f"{4 * k} bytes of options", udp(payload, ip={"options": o})) for k, o in options.items()),
        Frame("802.1Q", udp(payload, tags=(Dot1Q(vlan=100),))),
        Frame("802.1ad, one tag", udp(payload, tags=(Dot1AD(vlan=100),))),
        Frame("802.1ad and 802.1Q", udp(payload, tags=(Dot1AD(vlan=7), Dot1Q(vlan=100)))),
        Frame("two tags and options", udp(payload, tags=(Dot1Q(vlan=7), Dot1Q(vlan=8)), ip={"options": options[1]})),
        Frame("tag and options", udp(payload, tags=(Dot1Q(vlan=7),), ip={"options": options[2]})),
        *(Frame(f"surplus of {n}", udp_with_surplus(payload, SURPLUS[:n], pad=False)) for n in (1, 2, 3, 8, 15)),
        Frame("surplus, padding", udp_with_surplus(payload, SURPLUS) + b"\xa5" * 9),
        Frame("surplus, tag", udp_with_surplus(payload, SURPLUS, tags=(Dot1Q(vlan=7),), pad=False)),
        Frame("surplus, two tags", udp_with_surplus(payload, SURPLUS[:5], tags=(Dot1AD(vlan=7), Dot1Q(vlan=8)))),
        *(
            Frame(f"surplus, {4 * k} bytes of IPv4 options", udp_with_surplus(payload, SURPLUS, ip={"options": o}))
            for k, o in options.items()
        ),
    ]


def bad_frames(payload: bytes) -> list[Frame]:
    """At least one frame for every reason of refusal; `payload` should have at least 8 bytes."""
    n = len(payload)
    other = {"dst": "02:00:00:00:00:02"}
    options = [IPOption_NOP()] * 4
    ethernet = {"dst": LOCAL_MAC, "src": PEER_MAC}
    ip = {"src": PEER_IP, "dst": LOCAL_IP}
    checked = UDP(bytes(IP(udp(payload)[14:])[UDP])).chksum
    good = udp(payload, pad=False)

    def patched(offset: int, value: int) -> bytes:
        """The good frame with one byte changed and the IP header checksum recomputed."""
        data = bytearray(good)
        data[offset] = value
        data[24:26] = b"\0\0"
        header = bytes(data[14 : 14 + max(20, 4 * (data[14] & 15))])
        data[24:26] = struct.pack(">H", internet_sum(header) ^ 0xFFFF)
        return bytes(data)

    def icmp() -> bytes:
        return bytes(Ether(**ethernet) / IP(**ip) / ICMP() / Raw(payload)).ljust(60, b"\0")

    return [
        Frame("FCS", udp(payload), "bad_frame", bad=True),
        Frame("FCS, empty payload", udp(b""), "bad_frame", bad=True),
        Frame("FCS, other MAC", udp(payload, ether=other), "bad_frame", bad=True),
        Frame("other MAC", udp(payload, ether=other), "other_mac"),
        Frame("other multicast MAC", udp(payload, ether={"dst": "01:00:5e:00:00:01"}), "other_mac"),
        Frame("other MAC, tagged", udp(payload, ether=other, tags=(Dot1Q(vlan=1),)), "other_mac"),
        Frame("ARP", bytes(Ether(dst=BROADCAST_MAC, src=PEER_MAC) / ARP(pdst=LOCAL_IP)).ljust(60, b"\0"), "arp"),
        Frame("802.3 length", bytes.fromhex(LOCAL_MAC.replace(":", "") * 2) + b"\0\x2e" + bytes(46), "not_ip"),
        Frame("three tags", udp(payload, tags=(Dot1Q(vlan=1), Dot1Q(vlan=2), Dot1Q(vlan=3))), "not_ip"),
        Frame("IPv6", bytes(Ether(**ethernet) / IPv6() / UDP(dport=LOCAL_PORT) / Raw(payload)), "ipv6"),
        Frame("IPv6, tagged", bytes(Ether(**ethernet) / Dot1Q(vlan=1) / IPv6() / UDP() / Raw(payload)), "ipv6"),
        Frame("IP version 5", patched(14, 0x55), "bad_ip_header"),
        Frame("IP version 6 with EtherType 0800", patched(14, 0x65), "bad_ip_header"),
        Frame("IHL 4", patched(14, 0x44), "bad_ip_header"),
        Frame("IHL 0", patched(14, 0x40), "bad_ip_header"),
        Frame("IHL beyond total length", udp(b"", ip={"ihl": 15, "len": 28}), "bad_ip_header"),
        Frame("total length 19", udp(payload, ip={"len": 19}), "bad_ip_header"),
        *(
            Frame(f"from {source}", udp(payload, ip={"src": source}), "bad_ip_header")
            for source in ("255.255.255.255", "224.0.0.1", "240.0.0.0", "127.0.0.1")
        ),
        Frame("IP checksum", udp(payload, ip={"chksum": 0x1234}), "bad_ip_checksum"),
        Frame("IP checksum 0", udp(payload, ip={"chksum": 0}), "bad_ip_checksum"),
        Frame("first fragment", udp(payload, ip={"flags": "MF"}), "fragment"),
        Frame("middle fragment", udp(payload, ip={"flags": "MF", "frag": 8}), "fragment"),
        Frame("last fragment", udp(payload, ip={"frag": 185}), "fragment"),
        Frame("last fragment, top bit of the offset", udp(payload, ip={"frag": 4096}), "fragment"),
        Frame("ICMP echo", icmp(), "icmp"),
        Frame("TCP", bytes(Ether(**ethernet) / IP(**ip) / TCP(dport=LOCAL_PORT) / Raw(payload)), "not_udp"),
        Frame("IGMP", bytes(Ether(**ethernet) / IP(**ip, proto=2) / Raw(payload)).ljust(60, b"\0"), "igmp"),
        Frame("protocol without payload", bytes(Ether(**ethernet) / IP(**ip, proto=3)).ljust(60, b"\0"), "not_udp"),
        Frame("other IP", udp(payload, ip={"dst": "192.168.1.11"}), "other_ip"),
        Frame("directed broadcast", udp(payload, ip={"dst": "192.168.1.255"}), "other_ip"),
        Frame("multicast", udp(payload, ip={"dst": "224.0.0.1"}), "other_ip"),
        Frame("other port", udp(payload, udp={"dport": LOCAL_PORT ^ 1}), "other_port"),
        Frame("other port, high byte", udp(payload, udp={"dport": LOCAL_PORT ^ 0x8000}), "other_port"),
        Frame("other port, options", udp(payload, udp={"dport": 1}, ip={"options": options}), "other_port"),
        Frame("IP length beyond the frame", udp(payload, ip={"len": 29 + n}, pad=False), "bad_length"),
        Frame("IP length far beyond the frame", udp(payload, ip={"len": 0xFFFF}), "bad_length"),
        Frame("IP length short by one", udp(payload, ip={"len": 27 + n}), "bad_length"),
        Frame("IP length without room for UDP", udp(payload, ip={"len": 27}, udp={"len": 7}), "bad_length"),
        Frame("IP length of the header alone", udp(payload, ip={"len": 20}, udp={"len": 0}), "bad_length"),
        Frame("UDP length one more", udp(payload, udp={"len": 9 + n}), "bad_length"),
        Frame("UDP length one more, surplus", udp(payload + b"\0", udp={"len": 10 + n}), "bad_length"),
        Frame("UDP length far more", udp(payload, udp={"len": 0x8000 + n}), "bad_length"),
        Frame("UDP length 0", udp(payload, udp={"len": 0}), "bad_length"),
        Frame("UDP length 7", udp(payload, udp={"len": 7}), "bad_length"),
        Frame("surplus cut off", udp_with_surplus(payload, SURPLUS, pad=False)[:-1], "bad_length"),
        Frame("only a surplus, cut off", udp_with_surplus(b"", payload, pad=False)[:-1], "bad_length"),
        Frame("surplus, other port", udp(payload, udp={"dport": 1, "len": 8}), "other_port"),
        Frame("UDP checksum", udp(payload, udp={"chksum": checked ^ 0x0100}), "bad_udp_checksum"),
        Frame("last payload byte", good[:-1] + bytes([good[-1] ^ 1]), "bad_udp_checksum"),
        Frame("first payload byte", good[:42] + bytes([good[42] ^ 0x80]) + good[43:], "bad_udp_checksum"),
        Frame("UDP checksum, empty payload", udp(b"", udp={"chksum": 1}), "bad_udp_checksum"),
        Frame("UDP checksum over the surplus", udp(payload + b"\1\2", udp={"len": 8 + n}), "bad_udp_checksum"),
    ]


def filter_frames(payload: bytes) -> list[Frame]:
    """Frames that a receiver with PORTS and GROUPS accepts or ignores."""

    def to(mac: str, ip: str, **layers) -> bytes:
        return udp(payload, ether={"dst": mac}, ip={"dst": ip}, **layers)

    first, _, twin, other = GROUPS
    mac = group_mac(first)
    return [
        *(Frame(f"port {port}", udp(payload, udp={"dport": port})) for port in PORTS if port),
        *(Frame(f"group {group}", to(group_mac(group), group)) for group in (first, twin, other)),
        Frame("group, last port", to(mac, first, udp={"dport": PORTS[-1]})),
        Frame("group, two tags", to(mac, first, tags=(Dot1AD(vlan=7), Dot1Q(vlan=100)))),
        Frame("port 0, a disabled entry", udp(payload, udp={"dport": 0}), "other_port"),
        Frame("bytes of two ports", udp(payload, udp={"dport": PORTS[0] & 0xFF00 | PORTS[2] & 0xFF}), "other_port"),
        Frame("group, other port", to(mac, first, udp={"dport": 1}), "other_port"),
        Frame("group not joined, MAC of one that is", to(mac, "225.1.2.3"), "other_ip"),
        Frame("group, MAC of another", to(group_mac(other), first), "other_ip"),
        Frame("group to own MAC", to(LOCAL_MAC, first), "other_ip"),
        Frame("group to broadcast", to(BROADCAST_MAC, first), "other_ip"),
        Frame("own IP to a group", to(mac, LOCAL_IP), "other_ip"),
        Frame("limited broadcast to a group", to(mac, BROADCAST_IP), "other_ip"),
        Frame("group 0, a disabled entry", to("01:00:5e:00:00:00", "0.0.0.0"), "other_mac"),
        Frame("MAC of a group, bit 23", to("01:00:5e:81:02:03", first), "other_mac"),
        Frame("MAC of a group, low bit", to("01:00:5e:01:02:02", first), "other_mac"),
        Frame("MAC of a group, IPv6 prefix", to("33:33:5e:01:02:03", first), "other_mac"),
        Frame("unicast MAC that ends like a group's", to("00:00:5e:01:02:03", first), "other_mac"),
        Frame("all hosts", to("01:00:5e:00:00:01", "224.0.0.1"), "other_mac"),
        Frame("another host", to(PEER_MAC, "10.0.0.1"), "other_mac"),
        Frame("another host, other port", to(PEER_MAC, "10.0.0.1", udp={"dport": 9}), "other_mac"),
    ]


def cut_frames(payload: bytes) -> list[Frame]:
    """A good frame without padding, truncated after each byte."""
    data = udp(payload, pad=False)
    return [Frame(f"cut after {n} bytes", data[:n], "bad_length") for n in range(1, len(data))]


def mutated(frame: bytes, generator: random.Random) -> bytes:
    """`frame` with a random fault: flipped bits (most of them in the headers), a cut, a splice, or a wrong length."""
    data = bytearray(frame)
    match generator.randrange(5):
        case 0:
            for _ in range(generator.choice((1, 1, 1, 2, 8))):
                data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        case 1:
            data[generator.randrange(min(46, len(data)))] = generator.randrange(256)
        case 2:
            del data[generator.randrange(1, len(data)) :]
        case 3:
            at, size = generator.randrange(len(data)), generator.randrange(1, 9)
            data[at:at] = generator.randbytes(size) if generator.random() < 0.5 else data[:size]
        case _:
            at = generator.choice((16, 38))  # IP or UDP length of an untagged frame without options
            if len(data) >= at + 2:
                lie = (int.from_bytes(data[at : at + 2], "big") + generator.randrange(-30, 31)) & 0xFFFF
                data[at : at + 2] = lie.to_bytes(2, "big")
            if at == 16 and len(data) >= 34:  # half of them with a correct header checksum
                data[24:26] = b"\0\0"
                data[24:26] = struct.pack(">H", internet_sum(bytes(data[14:34])) ^ 0xFFFF)
    return bytes(data)
