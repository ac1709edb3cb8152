"""Kept runs that are damaged, forged or no runs at all, given to every command that reads one."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from engine.formats.scenario_toml import load
from engine.run.run_store import FILE, FIRST_SEAL, seal
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from tests.gates.attacks.tally import SECONDS, Tally
from tests.invoke import said

EXPORTED: Final = "get one events -o jsonl"
COMMANDS: Final = (
    "runs", "runs -o json", "get one", "get one -o json", "get one --at +20", EXPORTED,
    "get one scenario -o json", "get one series", "get one apps --at +20", "why one app/1 --at +20", "runs repair one",
    "runs", EXPORTED, "get one --at +1", "runs rm one --yes",
)  # fmt: skip


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Damage a run in so many ways, and give each to all commands; one that is exported is a beginning of the true."""
    random, tally = Random(f"runs {seed}"), Tally("runs", longest_s)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good, journal = _kept(folder / "whole")
        file = folder / "runs" / "one" / FILE
        for number in range(count):
            damage = random.choice(DAMAGES)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(damage(random, good))
            label = f"{number} {damage.__name__}"
            is_sealed = damage is forged or damage is without_scenario
            for command in COMMANDS:
                words = [*command.split(), "-c", f"runs_folder={folder / 'runs'}"]
                result = tally.give(f"{label}: {command}", words, codes=(0, 2))
                if command == EXPORTED and not is_sealed and not journal.startswith(result.stdout):
                    tally.mark(f"{label}: {command}", "exports what did not happen")
            if file.exists():
                tally.mark(label, "it cannot be deleted")
                file.unlink()
    return tally


def _kept(root: Path) -> tuple[bytes, str]:
    """The file of a good run with an act, and its journal as it is exported."""
    scenario = load("reservation-deadlock-rule-limited")
    with RunWriter(root, "one", scenario, created="today") as keeper:
        simulation = build_simulation(scenario, [keeper])
        simulation.run_until(scenario.start_ms + 20_000)
        simulation.act(SetPreemption(on=True))
        simulation.run_until(scenario.start_ms + 60_000)
        keeper.finish(simulation.now_ms)
    exported = said(EXPORTED, ["-c", f"runs_folder={root}"])
    return (root / "one" / FILE).read_bytes(), exported.stdout


def flipped(random: Random, good: bytes) -> bytes:
    data = bytearray(good)
    for _ in range(random.choice((1, 1, 2, 20))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def cut(random: Random, good: bytes) -> bytes:
    return good[: random.randrange(len(good))]


def hollow(random: Random, good: bytes) -> bytes:
    """A block is zeros, as after a power cut."""
    begin = random.randrange(len(good))
    size = random.choice((16, 512, 4096))
    return good[:begin] + bytes(min(size, len(good) - begin)) + good[begin + size :]


def shuffled(random: Random, good: bytes) -> bytes:
    """Lines are missing, twice, or at another's place."""
    lines = good.splitlines(keepends=True)
    for _ in range(min(random.choice((1, 1, 5)), len(lines))):
        line = lines.pop(random.randrange(len(lines)))
        for _ in range(random.randrange(3)):
            lines.insert(random.randrange(len(lines) + 1), line)
    return b"".join(lines)


def lengthened(random: Random, good: bytes) -> bytes:
    """Something stands after the end, or in the middle."""
    place = random.choice((len(good), random.randrange(len(good))))
    stuff = random.choice((b"\n", b"x", b"{}\n", b"[1,{}]\n", bytes(100), random.randbytes(300), good[:2000]))
    return good[:place] + stuff + good[place:]


def foreign(random: Random, good: bytes) -> bytes:
    return random.choice(
        (b"", b"\n", b"[]", b"{}\n", b"SQLite format 3\0" + bytes(4096), random.randbytes(2000), b"[" * 100_000,
         b'{"kind":"schedlab run","format":99,"x":1}\n', b'{"kind":"schedlab run","format":2}\n', good[::-1],
         b'{"kind":"schedlab run","format":000000002}' + b" " * 1000)
    )  # fmt: skip


def forged(random: Random, good: bytes) -> bytes:
    """A line says something else, and all seals are right."""
    bodies = [line[:-18] for line in good.splitlines(keepends=True)]
    number = random.randrange(1, len(bodies))
    old, new = random.choice(REPLACED)
    bodies[number] = bodies[number].replace(old, new)
    for _ in range(random.choice((0, 0, 1))):
        del bodies[random.randrange(1, len(bodies))]
    return _sealed(bodies)


def without_scenario(random: Random, good: bytes) -> bytes:
    """The scenario says something else, and all seals are right."""
    bodies = [line[:-18] for line in good.splitlines(keepends=True)]
    place = random.randrange(40, len(bodies[0]))
    old = bodies[0][place : place + random.randrange(1, 6)]
    bodies[0] = (
        bodies[0][:place]
        + random.choice((b"7", b"null", b'"x"', b"{}", b"-1", b"1e999", b"", b"[[[["))
        + (bodies[0][place + len(old) :])
    )
    return _sealed(bodies)


def _sealed(bodies: list[bytes]) -> bytes:
    former, lines = FIRST_SEAL, []
    for body in bodies:
        former = seal(former, body)
        lines.append(body + b"\t" + former + b"\n")
    return b"".join(lines)


REPLACED: Final = (
    (b'"kind":"', b'"kind":"x'), (b"[17", b"[99"), (b"[17", b"[-17"), (b",", b",,"), (b"1", b"9" * 30), (b"0", b"-1"),
    (b'"application":', b'"application":-'), (b'"node":"', b'"node":"\\u001b[31m'),
    (b'"position":[', b'"position":[0,'), (b"true", b"false"), (b'"records":', b'"records":9'),
    (b'"acts":', b'"acts":9'), (b'"until_ms":1', b'"until_ms":9'), (b'"until_ms":1', b'"until_ms":'),
)  # fmt: skip

DAMAGES: Final[tuple[Callable[[Random, bytes], bytes], ...]] = (
    flipped, flipped, cut, hollow, shuffled, lengthened, foreign, forged, without_scenario,
)  # fmt: skip
