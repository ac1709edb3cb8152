"""Servers that mean harm to `watch`, and clients that mean harm to `serve`: over loopback only, bounded in time."""

import asyncio
import json
import logging
import socket
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from random import Random
from threading import Thread
from typing import Final
from unittest.mock import patch

import httpx
import uvicorn

from engine.errors import RefusedError, SourceError
from engine.formats.scenario_toml import load
from engine.live.alarms import DEFAULT_RULES, parse_rules
from engine.live.followed_log import FollowedLog, LogPage
from engine.live.rest_client import PollPace, RestClient
from engine.live.spark import SparkSource
from engine.live.yarn_source import YarnSource
from engine.run import Run
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASES
from tests.gates.attacks import hostile_client
from tests.gates.attacks.hostile_server import hostile_server
from tests.gates.attacks.tally import SECONDS, Tally
from tui.cli.watch import _line
from tui.serving.serve_app import ServedApp
from tui.serving.serve_limits import answering
from tui.session.live_pictures import LivePictures

DEADLINE_S: Final = 0.25
"""What answers and rounds may take here, so that many are tried."""
LOOPBACK: Final = "127.0.0.1"
PROBE_S: Final = 5.0
"""How long a good client waits for its answer."""


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Half of the attempts against `watch`, half against `serve`; counts by kind are printed."""
    random, tally = Random(f"network {seed}"), Tally("network", longest_s)
    seen: Counter[str] = Counter()
    with ExitStack() as stack:
        for name in ("rest_client.ANSWER_S", "rest_client.ROUND_S", "followed_log.PIECE_S"):
            stack.enter_context(patch(f"engine.live.{name}", DEADLINE_S))
        with hostile_server(f"network {seed}") as (port, answers):
            for number in range(count // 2):
                is_spark, has_log = random.random() < 0.2, random.random() < 0.3
                tally.attempt(f"watch {number}", partial(_watch, port, is_spark, has_log=has_log))
        seen.update({f"answer {kind}": times for kind, times in answers.items()})
        said = stack.enter_context(_logged())
        port = stack.enter_context(_served(random.choice(("2.7", "3.4"))))
        for number in range(count - count // 2):
            kind = random.choice(hostile_client.KINDS)
            seen[f"request {kind.__name__}"] += 1
            tally.attempt(f"serve {number} {kind.__name__}", partial(_send, port, kind, random))
    for each in said:
        tally.mark("serve", each)
    sys.stdout.write("".join(f"  {times:6} {kind}\n" for kind, times in sorted(seen.items())))
    return tally


class _OnLoopback(httpx.AsyncHTTPTransport):
    """Reaches this machine and no other, whatever a server names."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host != LOOPBACK:
            raise httpx.ConnectError("not on loopback", request=request)
        return await super().handle_async_request(request)


def _watch(port: int, is_spark: bool, *, has_log: bool) -> None:
    """Two rounds, each drawn as a line.

    Raises:
        RefusedError: One was not answered, in words.
    """
    asyncio.run(_rounds(f"http://{LOOPBACK}:{port}", is_spark, has_log=has_log))


async def _rounds(url: str, is_spark: bool, *, has_log: bool) -> None:
    def connect() -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=_OnLoopback(verify=False), timeout=DEADLINE_S)

    client = RestClient([url], connect)
    log = FollowedLog(LogPage(f"{url}/logs/", connect)) if has_log else None
    source = SparkSource(client, connect, PollPace()) if is_spark else YarnSource(client, PollPace(), log)
    view = LivePictures(source, parse_rules(DEFAULT_RULES))
    try:
        for _ in range(2):
            json.dumps(_line(await view.round(), view))
        await view.picture()
    except SourceError as error:
        raise RefusedError("SourceError", str(error)) from None
    finally:
        await view.close()


def _send(port: int, kind: hostile_client.Kind, random: Random) -> None:
    """Send something, read what comes, then ask as a good client does.

    Raises:
        AssertionError: It was answered by a mistake of ours, or the good client was not answered well.
    """
    with socket.create_connection((LOOPBACK, port), PROBE_S) as wire:
        wire.settimeout(0.01 if kind in hostile_client.ENDING else 0.3)
        answer = b""
        try:
            wire.sendall(kind(random))
            while len(answer) < 100_000 and (part := wire.recv(65_536)):
                answer += part
                wire.settimeout(0.01)
        except OSError:
            pass  # it was shown the door
    assert b"\r\n\r\nInternal Server Error" not in answer, answer[-300:]
    form = random.choice(("application/json", "application/xml"))
    path = random.choice(("apps", "apps", "scheduler", "nodes", "metrics"))
    url = f"http://{LOOPBACK}:{port}/ws/v1/cluster/{path}"
    said = httpx.get(url, headers={"Accept": form}, timeout=PROBE_S, trust_env=False)
    assert said.status_code == 200, f"a good client is answered {said.status_code}"
    if form == "application/json":
        said.json()
    refused = answer[9:10] == b"4" or not answer
    if refused:
        raise RefusedError("refused", answer[:100].decode("latin-1") or "closed")


@contextmanager
def _in_thread(serve: Callable[[socket.socket, asyncio.Event], Coroutine[object, object, None]]) -> Iterator[int]:
    """Serve on loopback in a thread; the port. What is open at the end is closed."""
    listener, loop, stop = socket.create_server((LOOPBACK, 0)), asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        await serve(listener, stop)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for each in left:
            each.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await asyncio.sleep(0.01)  # connections are closed by the loop

    thread = Thread(target=loop.run_until_complete, args=[run()], daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PROBE_S)
        assert not thread.is_alive(), "the server does not end"
        loop.close()


@contextmanager
def _served(era: str) -> Iterator[int]:
    """A simulation that is served to anybody; its port."""
    past = ApplicationPast()
    pace = ServedPace(Run(load("reservation-deadlock-rule-limited"), [past], is_judged=False))
    cluster = ServedCluster(lambda: pace.played.simulation, pace.act, past, RELEASES[era], "localhost:0")
    server: uvicorn.Server = answering(ServedApp(cluster, pace, token=None).app())

    async def serve(listener: socket.socket, stop: asyncio.Event) -> None:
        clock, serving = asyncio.create_task(pace.run()), asyncio.create_task(server.serve([listener]))
        await stop.wait()
        server.should_exit = True
        await serving
        clock.cancel()

    with _in_thread(serve) as port:
        yield port


@contextmanager
def _logged() -> Iterator[list[str]]:
    """What asyncio and uvicorn report as failures."""
    found: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            found.append(f"{record.getMessage()[:300]} {error!r}")

    handler, loggers = Lines(logging.ERROR), [logging.getLogger(name) for name in ("asyncio", "uvicorn.error")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield found
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True
