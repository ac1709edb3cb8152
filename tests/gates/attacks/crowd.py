"""Answers of `schedlab serve` to good clients, alone and among bad ones: `python -m tests.gates.attacks.crowd`.

The server, the bad clients and the good ones are a process each, so that a slow client is not taken for a slow server.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Final, NamedTuple

import httpx

from tests.gates.attacks import hostile_client

SCENARIO: Final = "reservation-deadlock-rule-limited"
PAGES: Final = ("apps", "scheduler", "nodes", "metrics")
GOOD: Final = 10
BAD: Final = 300
REST_S: Final = 0.1
"""Between two questions of a good client."""
STAYS_S: Final = (0.0, 0.2, 2.0)
"""How long a bad client stays after it has sent something."""
ANSWER_S: Final = 5.0
PROCESSES_S: Final = 10.0


class Answers(NamedTuple):
    """What good clients got."""

    seconds: list[float]
    failed: list[str]

    def figures(self) -> dict[str, object]:
        """How many, how many failed, and how long answers took [ms]."""
        times = sorted(1000 * each for each in self.seconds) or [0.0]
        parts = {"p50": 0.5, "p99": 0.99, "worst": 1.0}
        return {
            "answers": len(self.seconds),
            "failed": len(self.failed),
            **{name: round(times[min(len(times) - 1, int(len(times) * part))], 1) for name, part in parts.items()},
        }


async def ask(url: str, seconds: float, clients: int = GOOD) -> Answers:
    """Good clients, each of which asks, reads the answer and rests."""
    found = Answers([], [])
    several = [httpx.AsyncClient(base_url=url, timeout=ANSWER_S, trust_env=False) for _ in range(clients)]
    until = time.monotonic() + seconds  # making clients takes long

    async def one(number: int, client: httpx.AsyncClient) -> None:
        while time.monotonic() < until:
            begun = time.perf_counter()
            try:
                said = await client.get(f"{hostile_client.CLUSTER}/{PAGES[number % len(PAGES)]}")
            except httpx.HTTPError as error:
                found.failed.append(repr(error))
            else:
                found.seconds.append(time.perf_counter() - begun)
                if said.status_code != httpx.codes.OK:
                    found.failed.append(str(said.status_code))
            number += 1
            await asyncio.sleep(REST_S)
        await client.aclose()

    await asyncio.gather(*(one(number, client) for number, client in enumerate(several)))
    return found


async def harm(port: int, seed: int, clients: int, names: list[str]) -> None:
    """Bad clients, for ever: each sends something, stays a while and comes again."""
    random = Random(f"crowd {seed}")
    kinds = [each for each in hostile_client.KINDS if not names or each.__name__ in names]

    async def one() -> None:
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
                writer.write(random.choice(kinds)(random))
                await asyncio.sleep(random.choice(STAYS_S))
                writer.transport.abort()
            await asyncio.sleep(0.01)

    sys.stderr.write("ready\n")
    await asyncio.sleep(1.0)  # the good ones begin first
    await asyncio.gather(*(one() for _ in range(clients)))


@contextmanager
def _process(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen([sys.executable, "-m", *arguments], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()
            _ = process.communicate()


def figures(seconds: float, seed: int, bad: int, names: list[str], *, is_open: bool) -> dict[str, object]:
    """Answers to good clients alone, and among bad ones."""
    with _process(
        "tui.cli.cli", "serve", SCENARIO, "--listen", "0", *(["-c", "serve.open=true"] if is_open else [])
    ) as server:
        assert server.stderr is not None
        found = next(filter(None, (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in server.stderr)))
        url = f"http://127.0.0.1:{found[1]}"
        alone = asyncio.run(ask(url, seconds / 2))
        with _process(
            "tests.gates.attacks.crowd", "--harm", found[1], "--seed", str(seed), "--bad", str(bad), *names
        ) as crowd:
            assert crowd.stderr is not None
            _ = crowd.stderr.readline()
            among = asyncio.run(ask(url, seconds))
    return {"alone": alone.figures(), "among": among.figures(), "why": sorted(set(among.failed))[:5]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="of what bad clients send; all without any")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bad", type=int, default=BAD)
    parser.add_argument("--no-token", action="store_true", help="let bad clients act, too")
    parser.add_argument("--harm", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.harm:
        asyncio.run(harm(given.harm, given.seed, given.bad, given.kinds))
    found = figures(given.seconds, given.seed, given.bad, given.kinds, is_open=given.no_token)
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
