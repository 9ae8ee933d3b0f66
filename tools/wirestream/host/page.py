"""The live page of a board: an HTTP server on the loopback address, and the state of the board as server-sent events.

The token in the page's URL is the path of everything below it, and changes with every start. Requests without it, for
another host or from a page of another origin are refused, so that no other user and no web site reaches the board; GET
changes nothing.

    GET  /TOKEN/         the page, in static/
    GET  /TOKEN/about    JSON: what does not change while the board runs
    GET  /TOKEN/events   server-sent events, several a second: JSON of counters, rates, settings, and of new rows
    POST /TOKEN/set      JSON {"name": register or $constant, "value": text}
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import plotly
from aiohttp import web

from wirestream.host.feed import Feed
from wirestream.host.remote import HERE, RemoteError

PERIOD_S = 0.25  # between two events
MOST = 16  # readers of events at a time
GRACE_S = 0.1  # of their requests at the end; 0 would have no limit
STATIC = Path(__file__).with_name("static")
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
FILES = {"": "page.html", "page.css": "page.css", "page.js": "page.js"}
SECURITY = {
    # the chart library writes styles into the page
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Page:
    """The server of a feed. Everything that it asks of the feed runs on one thread of its own."""

    def __init__(self, feed: Feed, port: int):
        self._feed, self._port = feed, port
        self._worker = ThreadPoolExecutor(1, "feed")
        self._token = secrets.token_urlsafe(16)
        self._state: dict = {}
        self._readers = 0
        self._hosts = {f"{name}:{port}" for name in (HERE, "localhost")}

    @property
    def url(self) -> str:
        return f"http://{HERE}:{self._port}/{self._token}/"

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=4096)
        for name, file in FILES.items():
            app.router.add_get(f"/{{token}}/{name}", _file(STATIC / file))
        app.router.add_get("/{token}/plotly.js", _file(PLOTLY))
        app.router.add_get("/{token}/about", self._about)
        app.router.add_get("/{token}/events", self._events)
        app.router.add_post("/{token}/set", self._set)
        app.cleanup_ctx.append(self._ticking)
        return app

    # ---- who may ask

    @web.middleware
    async def _guard(self, request: web.Request, handler) -> web.StreamResponse:
        if request.host not in self._hosts:
            raise web.HTTPForbidden(text=f"this page is served to {HERE}:{self._port} only\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            raise web.HTTPForbidden(text="requests of other web pages are refused\n")
        token = request.path.removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise web.HTTPForbidden(text="the token in the URL is missing or wrong; `make board` prints the URL\n")
        try:
            return await handler(request)
        except (RemoteError, TimeoutError) as error:
            raise web.HTTPServiceUnavailable(text=f"{error}\n") from None

    # ---- what they get

    async def _about(self, request: web.Request) -> web.Response:
        return web.json_response(await self._ask(self._feed.about), headers=SECURITY)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        if self._readers == MOST:
            raise web.HTTPServiceUnavailable(text=f"{MOST} pages are open already\n")
        response = web.StreamResponse(headers=SECURITY | {"Content-Type": "text/event-stream"})
        await response.prepare(request)
        last = request.headers.get("Last-Event-ID", "")  # sent by a browser that connects again
        number = int(last) if last.isdecimal() else 0
        self._readers += 1
        try:
            with suppress(ConnectionResetError):
                while True:
                    rows = await self._ask(self._feed.since, number)
                    number = rows["next"]
                    event = json.dumps(self._state | rows)
                    await response.write(f"id: {number}\ndata: {event}\n\n".encode())
                    await self._tick.wait()
        finally:
            self._readers -= 1
        return response

    async def _set(self, request: web.Request) -> web.Response:
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="a request to change a setting is JSON\n")
        try:
            asked = await request.json()
            name, value = asked["name"], asked["value"]
            if not isinstance(name, str) or not isinstance(value, str):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text='expected {"name": …, "value": …}, both text\n') from None
        try:
            await self._ask(self._feed.set, name, value)
        except ValueError as error:
            raise web.HTTPUnprocessableEntity(text=f"{error}\n") from None
        return web.json_response(await self._ask(self._feed.settings), headers=SECURITY)

    # ---- the feed

    async def _ask(self, function, *arguments):
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    async def _ticking(self, app: web.Application) -> AsyncIterator[None]:
        self._tick = asyncio.Event()
        task = asyncio.create_task(self._follow())
        yield
        task.cancel()

    async def _follow(self) -> None:
        """Receive rows all the time, and read the registers while someone looks."""
        while True:
            await self._ask(self._feed.receive)
            if self._readers:
                try:
                    self._state = await self._ask(self._feed.state)
                except (RemoteError, TimeoutError) as error:
                    self._state = {"trouble": str(error)}
            self._tick.set()
            self._tick = asyncio.Event()
            await asyncio.sleep(PERIOD_S)


def _file(path: Path):
    async def handler(request: web.Request) -> web.FileResponse:
        return web.FileResponse(path, headers=SECURITY)

    return handler


@contextmanager
def served(feed: Feed, port: int) -> Iterator[str]:
    """Serve the page in the background, on a port of the loopback address (0: a free one); its URL. Raises OSError if
    the port is in use."""
    try:
        listener = socket.create_server((HERE, port))
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno), f"port {port} of the page") from None
    page = Page(feed, listener.getsockname()[1])
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> web.AppRunner:
        runner = web.AppRunner(page.app(), handle_signals=False, access_log=None, shutdown_timeout=GRACE_S)
        await runner.setup()
        await web.SockSite(runner, listener).start()
        return runner

    runner = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield page.url
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
