"""The live page of a board shows what the board does, and nobody else reaches it; in HTTP and in Chromium."""

from __future__ import annotations

import csv
import http.client
import json
import socket
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from docs import page as walk
from tb.board.chromium import CHROMIUM, OPTIONS
from tb.board.tunnel import NAME, QUERY, SETTINGS, Tunnel, wait_for
from tb.queries.streams import data
from wirestream.compiler.compile import compile_queries
from wirestream.host import board as command
from wirestream.host import feed as feeds
from wirestream.host.board import Board
from wirestream.host.feed import Feed
from wirestream.host.inputs import MirrorInput
from wirestream.host.page import served
from wirestream.schema.packets import SENDER
from wirestream.schema.streams import shipped

JSON = {"Content-Type": "application/json"}


class Served:
    """A board with its page."""

    def __init__(self, tunnel: Tunnel, feed: Feed, url: str):
        self.tunnel, self.feed, self.url = tunnel, feed, url
        self.port, self.path = urlsplit(url).port, urlsplit(url).path

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, str]:
        """Status and text of the answer. path: below the token, or from / on."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with closing(connection):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path if path.startswith("/") else self.path + path, body, named)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def set(self, name: str, value: object, **headers: str) -> tuple[int, str]:
        return self.ask("POST", "set", json.dumps({"name": name, "value": value}), **JSON, **headers)

    def events(self, last: str = "") -> Iterator[dict]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with closing(connection):
            connection.request("GET", self.path + "events", headers={"Last-Event-ID": last} if last else {})
            answer = connection.getresponse()
            assert (answer.status, answer.getheader("Content-Type")) == (200, "text/event-stream")
            for line in answer:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])


@contextmanager
def page_of(board: Board, sql: str, folder: Path, **options) -> Iterator[Served]:
    source = MirrorInput("127.0.0.1")
    with closing(source), Tunnel(board, folder, "--mirror", source.address, static_arp=SENDER.mac, **options) as tunnel:
        feed = Feed(sql, board.built, tunnel.remote, source)
        with served(feed, 0) as url:
            yield Served(tunnel, feed, url)


@pytest.fixture
def shown(board, tmp_path) -> Iterator[Served]:
    with page_of(board, QUERY.read_text(), tmp_path, settings=SETTINGS) as found:
        yield found


# --- who may ask ----------------------------------------------------------------------------------------------------


def test_only_the_url_that_was_printed(shown):
    assert shown.ask("GET", "")[0] == shown.ask("GET", "about")[0] == 200
    for path in ("/", "/about", f"{shown.path[:-2]}/", "/nonsense/", "/nonsense/about", "/nonsense/events"):
        assert shown.ask("GET", path) == (
            403, "the token in the URL is missing or wrong; `make board` prints the URL\n"
        ), path  # fmt: skip
    assert shown.ask("GET", "nothing")[0] == 403 or shown.ask("GET", "nothing")[0] == 404
    assert shown.set("result_port", "7")[0] == 200
    assert shown.ask("POST", "/nonsense/set", '{"name": "result_port", "value": "8"}', **JSON)[0] == 403
    assert shown.tunnel.remote.registers.result_port == 7


@pytest.mark.parametrize("path", ["", "about", "events", "page.js"])
def test_no_other_host_or_origin(shown, path):
    """A name that an attacker's DNS resolves to 127.0.0.1, and a page of another site, or of another port."""
    for host in ("evil.example", f"evil.example:{shown.port}", "127.0.0.1", f"127.0.0.1:{shown.port + 1}"):
        assert shown.ask("GET", path, Host=host)[0] == 403, host
    for origin in (
        "http://evil.example",
        f"http://127.0.0.1:{shown.port + 1}",
        f"https://127.0.0.1:{shown.port}",
        "null",
    ):
        assert shown.ask("GET", path, Origin=origin)[0] == 403, origin


def test_a_foreign_origin_changes_nothing(shown):
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}):
        assert shown.set("result_port", "9", **headers)[0] == 403
    assert shown.tunnel.remote.registers.result_port == 5000
    assert (
        shown.set("result_port", "9", Origin=f"http://localhost:{shown.port}", Host=f"localhost:{shown.port}")[0] == 200
    )
    assert shown.tunnel.remote.registers.result_port == 9


def test_it_listens_on_the_loopback_address_only(shown):
    with socket.socket() as other:
        other.bind(("127.0.0.2", shown.port))  # the port is free on every other address


def test_get_changes_nothing(shown):
    before = shown.feed.settings()
    for path in ("set", "set?name=result_port&value=9"):
        assert shown.ask("GET", path)[0] == 405
    assert shown.ask("POST", "about")[0] == 405
    assert shown.feed.settings() == before


def test_settings(shown):
    status, text = shown.set("$symbol", "123")
    assert status == 200 and json.loads(text)["$symbol"] == "123"  # text, though it looks like a number
    assert shown.tunnel.remote.constants() == {"symbol": "123"}
    for name, value in {"ping": "0", "local_ip": "192.168.1.11", "local_port[0]": "4001"}.items():
        assert json.loads(shown.set(name, value)[1])[name] == value
    before = shown.feed.settings()
    for name, value, said in (
        ("$symbol", "TOO LONG", "$symbol: 'TOO LONG' does not fit string(4)\n"),
        ("$none", "1", "$none: no such constant in the query; it has $symbol\n"),
        ("result_port", "70000", "result_port: 70000 does not fit 16 bits\n"),
        ("local_ip", "nowhere", None),
        ("arp_command", "1", None),
        ("", "1", None),
    ):
        status, text = shown.set(name, value)
        assert status == 422 and text.count("\n") == 1 and said in (None, text), text
    for body in ("", "{", "[]", '{"name": "ping"}', '{"name": "ping", "value": 1}', '"' + 5000 * "x" + '"'):
        assert shown.ask("POST", "set", body, **JSON)[0] in (400, 413), body[:20]
    assert shown.ask("POST", "set", '{"name": "ping", "value": "1"}', Content_Type="text/plain")[0] == 415
    assert shown.feed.settings() == before


# --- what it shows --------------------------------------------------------------------------------------------------


def test_about(shown, board):
    about = json.loads(shown.ask("GET", "about")[1])
    assert (about["name"], about["sql"], list(about["counters"])) == (NAME, QUERY.read_text(), list(board.counters))
    assert about["results"] == [
        {"name": "VwapOfTen", "columns": {"Vwap": "number", "Begun": "number", "Overflow": "text"}, "time": None}
    ]
    assert about["diagram"].count('class="rate"') == len(board.built.circuit.probes)  # a chain: each has one edge
    assert about["settings"]["$symbol"] == "constant of the query, string(4)"
    assert about["settings"]["ping"] == "answer echo requests"


def test_events(shown, board, stream, wanted, monkeypatch):
    """Rows, counters and edges; a browser that connects again; rows that are too many for one message."""
    events = shown.events()
    assert next(events)["rows"] == []
    shown.tunnel.send("--parquet", stream, "--per-datagram", 10, "--rate", 30_000)
    rows, event = [], {}
    while len(rows) < wanted.total() or event["counters"]["query_row"] < wanted.total():
        event = next(events)
        rows += event["rows"]
    assert Counter((("Vwap", vwap), ("Begun", begun)) for _, (vwap, begun, _) in rows) == wanted
    assert (event["skipped"], event["lost"], event["next"]) == (0, 0, wanted.total())
    of_symbol = int((data("Trades")["Symbol"] == SETTINGS["symbol"].encode()).sum())
    first, selected, *_, last = event["passed"]
    assert (first, selected, last) == (1500, of_symbol, wanted.total())
    counted = [event["counters"].get(name) for name in feeds.counters_of_probes(board.built.circuit)]
    assert counted[0] == first and counted[-1] == last and not any(counted[1:-1])
    assert event["settings"]["$symbol"] == SETTINGS["symbol"]

    assert next(shown.events(str(wanted.total() - 2)))["rows"] == rows[-2:]
    assert next(shown.events("nonsense"))["rows"] == next(shown.events("0"))["rows"] == rows
    assert next(shown.events(str(10**9)))["rows"] == []
    monkeypatch.setattr(feeds, "AT_ONCE", 3)
    latest = next(shown.events())
    assert latest["rows"] == rows[-3:] and latest["skipped"] == wanted.total() - 3

    monkeypatch.setattr(shown.tunnel.remote, "passed", lambda: None)  # hardware has no probes
    assert shown.feed.state()["passed"] == counted
    monkeypatch.undo()
    shown.tunnel.process.kill()
    while "trouble" not in (event := next(events)):
        pass
    assert "no answer" in event["trouble"]
    for status, text in (shown.ask("GET", "about"), shown.set("ping", "1")):
        assert status == 503 and "no answer" in text


def test_readers_are_limited(shown):
    held = [shown.events() for _ in range(16)]
    for one in held:
        next(one)
    assert shown.ask("GET", "events") == (503, "16 pages are open already\n")
    for one in held:
        one.close()
    wait_for(lambda: shown.ask("GET", "about")[0] == 200)


# --- in a browser ---------------------------------------------------------------------------------------------------


@pytest.fixture
def browser() -> Iterator[Page]:
    if CHROMIUM is None:
        pytest.skip("Chromium is missing: `make chromium`")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = started.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        yield page
        started.close()
    assert faults == []


def points(page: Page) -> int:
    return page.evaluate("() => document.getElementById('chart').data.reduce((n, line) => n + line.x.length, 0)")


def test_in_chromium(shown, stream, wanted, browser):
    browser.goto(shown.url)
    expect(browser.locator("#status")).to_have_text("live", timeout=20_000)
    shown.tunnel.send("--parquet", stream, "--per-datagram", 10, "--rate", 30_000, "--session", 1)
    expect(browser.locator("#seen")).to_have_text(f"{wanted.total()} rows", timeout=20_000)
    assert points(browser) == wanted.total()
    counter = browser.locator("tr[data-name=query_row] td.number").first
    expect(counter).to_have_text(str(wanted.total()))
    expect(browser.locator(".rate title").first).to_have_text("1,500 tuples")
    assert browser.locator("tr[data-name=query_late]").count() == 0  # it has no window in time
    expect(browser.locator("tr[data-name=query_lost]")).to_be_hidden()
    browser.check("#zeros")
    expect(browser.locator("tr[data-name=query_lost]")).to_be_visible()

    browser.click("#pause")
    expect(browser.locator("#status")).to_have_text("live, the chart is paused")
    shown.tunnel.send("--parquet", stream, "--per-datagram", 10, "--rate", 30_000, "--session", 2)
    expect(counter).to_have_text(str(2 * wanted.total()), timeout=20_000)
    assert points(browser) == wanted.total()
    browser.click("#pause")
    expect(browser.locator("#seen")).to_have_text(f"{2 * wanted.total()} rows")
    assert points(browser) == 2 * wanted.total()

    port = browser.locator("tr[data-name=result_port]")
    port.locator("input").fill("70000")
    port.locator("button").click()
    expect(port.locator(".error")).to_have_text("result_port: 70000 does not fit 16 bits\n")
    port.locator("input").fill("5001")
    port.locator("button").click()
    expect(port.locator(".meaning")).to_have_text("UDP port to which results go")
    assert shown.tunnel.remote.registers.result_port == 5001
    shown.tunnel.process.kill()
    expect(browser.locator("#status.trouble")).to_contain_text("no answer", timeout=20_000)


def test_the_walk(browser, tmp_path):
    """The chart of docs/first-hour.md: for each month that has ended and each weather a point."""
    shell = walk.prepared(tmp_path)
    with (tmp_path / "weather.csv").open() as file:
        days = [(date.fromisoformat(day["date"].replace("/", "-")), day["weather"]) for day in csv.DictReader(file)]
    months = {((day - date(1970, 1, 1)).days // 30, weather) for day, weather in days}
    closed = [weather for month, weather in months if month < max(months)[0]]
    sql = (tmp_path / "warmest.sql").read_text()
    board = Board.of(compile_queries(sql, shipped(), "warmest"), tmp_path)
    with page_of(board, sql, tmp_path) as shown:
        browser.goto(shown.url)
        expect(browser.locator("#status")).to_have_text("live", timeout=20_000)
        send = walk.commands("wirestream send").replace(
            "--tunnel --rate 60", f"--tunnel {shown.tunnel.here} --rate 600"
        )
        subprocess.run(send, check=True, **shell)
        expect(browser.locator("#seen")).to_have_text(f"{len(closed)} rows", timeout=20_000)
        lines = browser.evaluate("() => document.getElementById('chart').data.map(line => [line.name, line.x.length])")
        assert dict(lines) == Counter(closed)
        expect(browser.locator(".rate title").first).to_have_text("1,461 tuples")


def test_a_page_of_another_origin(shown, browser):
    """It knows the URL, and neither reads nor changes anything."""

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><title>evil</title>")

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Evil) as evil:
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        browser.goto(f"http://127.0.0.1:{evil.server_port}/")
        body = json.dumps({"name": "result_port", "value": "9"})
        attack = """([url, body, mode, headers]) => fetch(url, {method: "POST", body, mode, headers})
            .then(answer => answer.type, () => "refused")"""
        assert browser.evaluate(attack, [f"{shown.url}set", body, "cors", JSON]) == "refused"
        assert browser.evaluate(attack, [f"{shown.url}set", body, "no-cors", {}]) == "opaque"  # sent, and answered 403
        assert (
            browser.evaluate("url => fetch(url).then(() => 'read', () => 'refused')", f"{shown.url}about") == "refused"
        )
        browser.set_content(f'<iframe src="{shown.url}"></iframe>')
        browser.wait_for_timeout(500)
        assert browser.frames[1].locator("#status").count() == 0
        evil.shutdown()
    assert shown.tunnel.remote.registers.result_port == 5000


# --- the command ----------------------------------------------------------------------------------------------------


def test_the_port_is_in_use(board, capsys, monkeypatch):
    monkeypatch.setattr(command.Board, "of", lambda built, **options: board)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert command.main([str(QUERY), "--page", str(port)]) == 1
    assert capsys.readouterr().err == f"board: port {port} of the page: Address already in use\n"
