"""Truncated and mutated documents, for every reader of files."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from engine.formats.capacity_lint import warnings_of
from engine.formats.capacity_listing import list_capacity, read_rows
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.hadoop_configuration import parse_configuration, read_topology
from engine.formats.scenario_toml import loads
from tests.gates.attacks.samples import ALLOCATIONS, CAPACITY, CAPACITY_SITE, SITE, SPARK, TOPOLOGY, YARN
from tests.gates.attacks.tally import SECONDS, Tally

TOKENS: Final = (
    b"<", b">", b"</", b"/>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x ?>", b"&", b"&#0;", b"&#x110000;", b"&lt;",
    b"<!DOCTYPE a>", b'<!ENTITY x "y">', b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[2J", b"\r", b"\n",
    b"[", b"]", b"[[", b"]]", b"{", b"}", b'"', b"'", b'"""', b"'''", b"\\", b"\\u0000", b"\\UFFFFFFFF", b"=", b",",
    b"#", b".", b"..", b"-", b"9" * 400, b"1e999", b"0x", b"nan", b"inf", b"2024-99-99", b"${a}", b"${${a}}", b" " * 99,
    b'<?xml version="1.0" encoding="utf-16"?>', b'<xi:include href="/etc/passwd"/>', b"set", b"extends = 'x'\n",
)  # fmt: skip


def _scenario(data: bytes) -> None:
    loads(data.decode("utf-8", "replace"), "a.toml")


def _capacity(data: bytes, era: str) -> None:
    """What `schedlab config` shows of a capacity-scheduler.xml."""
    settings = parse_configuration(data, file="c.xml")
    rows = read_rows(settings, era)
    list_capacity(rows, settings, era)
    warnings_of(settings, rows, era)


READERS: Final[tuple[tuple[str, bytes, Callable[[bytes], object]], ...]] = (
    ("scenario", YARN.encode(), _scenario),
    ("spark", SPARK.encode(), _scenario),
    ("capacity", CAPACITY.encode(), _scenario),
    ("capacity 2.7", CAPACITY_SITE.encode(), partial(_capacity, era="2.7")),
    ("capacity 3.4", CAPACITY_SITE.encode(), partial(_capacity, era="3.4")),
    ("allocations 2.7", ALLOCATIONS.encode(), partial(read_fair_scheduler, file="f.xml")),
    ("allocations 3.4", ALLOCATIONS.encode(), partial(read_fair_scheduler, file="f.xml", era="3.4")),
    ("settings", SITE.encode(), partial(parse_configuration, file="y.xml")),
    ("topology", TOPOLOGY.encode(), lambda data: read_topology(data.decode("utf-8", "replace"), "t")),
)


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Read mutated documents, each reader in turn."""
    random = Random(f"readers {seed}")
    tally = Tally("readers", longest_s)
    for number in range(count):
        name, whole, read = READERS[number % len(READERS)]
        tally.attempt(f"{name} {number}", partial(read, mutated(whole, random)))
    return tally


def mutated(data: bytes, random: Random) -> bytes:
    """A document cut off, or with a few changes."""
    if random.random() < 0.2:
        return data[: random.randrange(len(data))]
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((0, 1, 1, 5, 40)))
        kind = random.randrange(4)
        if kind == 0:
            data = data[:at] + random.choice(TOKENS) + data[end:]
        elif kind == 1:
            data = data[:at] + data[end:]
        elif kind == 2:
            data = data[:at] + data[at:end] * random.choice((2, 3, 50)) + data[end:]
        else:
            data = data[:at] + random.randbytes(1) + data[at + 1 :]
    return data
