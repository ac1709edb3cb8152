"""Hostile names through every command: what is written must not drive a terminal."""

import tempfile
from pathlib import Path
from random import Random
from typing import Final

from tests.attacks.files import CLUSTER, run
from tests.attacks.tally import SECONDS, Tally

NAMES: Final = (
    "\x1b[31m", "\x1b]52;c;aGk=\x07", "\x1b]0;title\x07", "\x9b2J", "\x07", "\x08\x08", "a\rb", "\u202eabc", "\u2066x",
    "\u2028", "\x7f", "=1+1", "@x", "-x", "+x", "\t", "a'b", 'a"b', "a\\b", "$(x)", "`x`", "; x", "--x",
    "[bold]x[/bold]", "[link=x]y[/link]", "{0}", "%s", "a" * 4_000, "\u0301" * 100, "é", "\U0001f600", "\u200b",
)  # fmt: skip

PLACES: Final = ("title", "user", "name", "queue", "rack", "host", "about")

COMMANDS: Final = (
    ("scenario", "show"), ("scenario", "show", "--toml"), ("scenario", "check"), ("play", "--until", "5s"),
    ("play", "--json", "--until", "5s"), ("snapshot", "--at", "5s"), ("snapshot", "--at", "5s", "--json"),
    ("snapshot", "--at", "5s", "--section", "applications", "--csv"), ("why", "--app", "1", "--at", "5s"), ("config",),
)  # fmt: skip


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Put names into scenarios and show them by every command."""
    random = Random(f"names {seed}")
    tally = Tally("names", longest_s)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "s.toml"
        for number in range(count):
            name, place = random.choice(NAMES), random.choice(PLACES)
            file.write_text(_scenario(place, name), encoding="utf-8")
            arguments = [*COMMANDS[number % len(COMMANDS)], str(file)]
            written = run(tally, arguments, Path(folder), codes=(0, 2)).decode()
            if not all(sign.isprintable() or sign in "\n\t\u200b\u0301" for sign in written.replace("\r\n", "\n")):
                tally.mark(f"{place} = {name!r} by {' '.join(arguments)}", "control characters are written")
    return tally


def _scenario(place: str, name: str) -> str:
    """A scenario with one name in one place."""
    escaped = "".join(f"\\U{ord(sign):08x}" for sign in name)
    given = dict.fromkeys(PLACES, "x") | {place: escaped}
    node = f'[[cluster.groups]]\nhosts = ["{given["host"]}"]\nracks = ["/{given["rack"]}"]\nmemory = "1g"\nvcores = 1\n'
    ask = "".join(f'{key} = "{given[key]}"\n' for key in ("user", "name", "queue")) + 'asks = [{ memory = "2g" }]\n'
    titles = f'title = "{given["title"]}"\nabout = "{given["about"]}"\n'
    return f'{titles}{CLUSTER}{node}[[workload]]\ntype = "scripted"\nam = "unmanaged"\n{ask}'
