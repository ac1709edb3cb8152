"""Hostile names through every command: what is written drives no terminal, and no name makes a line or a formula."""

import csv
import io
import os
import pty
import subprocess
import sys
import tempfile
import threading
import tomllib
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.attacks.files import CLUSTER, run
from tests.gates.attacks.tally import SECONDS, Tally
from tui.terminal.edges import visible

FORGED: Final = "FORGED"
"""What no line of readable output may begin with."""

NAMES: Final = (
    "\x1b[31m", "\x1b]52;c;aGk=\x07", "\x1b]0;title\x07", "\x9b2J", "\x07", "\x08\x08", "a\rb", "\u202eabc", "\u2066x",
    "\u2028", "\x7f", "=1+1", "@x", "-x", "+x", "\t", "a'b", 'a"b', "a\\b", "$(x)", "`x`", "; x", "--x",
    "[bold]x[/bold]", "[link=x]y[/link]", "[/x]", "[@click=app.quit]x[/]", "{0}", "%s", "a" * 4_000, "\u0301" * 100,
    "é", "\U0001f600", "\u200b", f"a\n{FORGED}", f"a\r\n{FORGED}", f"a\x85{FORGED}", f"\n{FORGED}",
    "<script>x</script>", "&lt;", "a,b", 'a"\r\n=1+1,"',
)  # fmt: skip

PLACES: Final = ("title", "user", "name", "queue", "rack", "host", "about", "scenario")

COMMANDS: Final = (
    "get {}", "get {} scenario -o toml", "get {} -o json", "check {}", "play {} --until 5s",
    "play {} -o jsonl --until 5s", "get {} --at 5s", "get {} --at 5s -o json", "get {} apps --at 5s -o csv",
    "get {} queues --at 5s -o csv", "get {} nodes --at 5s", "why {} 1 --at 5s", "get {} settings", "get {} events",
    "get {} workload -o sls", "get {} picture --at 5s -o svg", "get {} report -o md", "compare {} fifo --until 5s",
)  # fmt: skip
"""Of a scenario."""

RUNS: Final = (
    "runs", "runs -o json", "get k", "get k --at 5s", "get k events -o jsonl", "get k series -o csv",
    "get k scenario -o toml",
)  # fmt: skip
"""Of a run kept as k."""

NAMED: Final = (
    "get {}", "check {}", "play {}", "open {}", "get {} settings", "why reservation-deadlock {}", "runs rm {}",
    "get reservation-deadlock {}", "settings -c theme={}", "play reservation-deadlock --until {}",
    "play reservation-deadlock --set {}", "help {}",
)  # fmt: skip
"""With the name itself; all of these are refused."""


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Put names into scenarios and options, and show them by every command, into a pipe and on a terminal."""
    random = Random(f"names {seed}")
    tally = Tally("names", longest_s)
    commands = (*COMMANDS, *RUNS, *NAMED)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            name, place = random.choice(NAMES), random.choice(PLACES)
            command = commands[number % len(commands)]
            _try(tally, Path(folder), command, (place, name), on_terminal=random.random() < 0.2)
    return tally


def _try(tally: Tally, folder: Path, command: str, named: tuple[str, str], *, on_terminal: bool) -> None:
    """Run one command and look at what it writes."""
    place, name = named
    file = folder / "s.toml"
    file.write_text(scenario_with(place, name), encoding="utf-8")
    if command in RUNS:
        runs = folder / f"runs{tally.tried}"
        kept = ["-c", f"runs_folder={runs}"]
        run(tally, ["play", "-q", "--until", "5s", "--keep", "k", *kept, str(file)], folder, (0, 2))
        arguments = [*command.split(), *kept]
    else:
        arguments = [word.replace("{}", name if command in NAMED else str(file)) for word in command.split()]
    label = f"{place} = {name!r:.40} by {command}{' on a terminal' * on_terminal}"
    if on_terminal:
        tally.tried += 1
        tally.accepted += 1
        written = _on_terminal(arguments, folder).replace("\r\n", "\n")
    else:
        written = run(tally, arguments, folder, codes=(0, 1, 2)).decode().replace("\r\n", "\n")
    if visible(written) != written:
        tally.mark(label, f"control characters are written: {visible(written)[-300:]}")
    for what in _forged(command, written):
        tally.mark(label, what)


def _forged(command: str, written: str) -> list[str]:
    """What a name made of the output that it must not."""
    if "-o csv" in command:
        cells = [cell for row in csv.reader(io.StringIO(written, newline="")) for cell in row]
        return [f"the cell {cell!r} is a formula" for cell in cells if cell.startswith(("=", "@", "+", "\t", "\r"))]
    if "-o toml" in command:
        tomllib.loads(written)
        return []
    return ["a name makes a line"] if any(line.startswith(FORGED) for line in written.split("\n")) else []


def _on_terminal(arguments: list[str], folder: Path) -> str:
    """What a command writes on a terminal that has neither colours nor a way back."""
    master, slave = pty.openpty()
    pieces: list[bytes] = []

    def read() -> None:
        try:
            while data := os.read(master, 65536):
                pieces.append(data)
        except OSError:
            return  # nobody writes any more

    reader = threading.Thread(target=read)
    reader.start()
    environment = os.environ | {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder), "TERM": "dumb"}
    command = [sys.executable, "-m", "tui.cli.cli", *arguments]
    with Path(os.devnull).open("rb") as nothing:
        subprocess.run(command, stdin=nothing, stdout=slave, stderr=slave, env=environment, check=False)
    os.close(slave)
    reader.join()
    os.close(master)
    return b"".join(pieces).decode()


def scenario_with(place: str, name: str) -> str:
    """A scenario with one name in one place."""
    escaped = "".join(f"\\U{ord(sign):08x}" for sign in name)
    given = dict.fromkeys(PLACES, "x") | {place: escaped}
    node = f'[[cluster.groups]]\nhosts = ["{given["host"]}"]\nracks = ["/{given["rack"]}"]\nmemory = "1g"\nvcores = 1\n'
    ask = "".join(f'{key} = "{given[key]}"\n' for key in ("user", "name", "queue")) + 'asks = [{ memory = "2g" }]\n'
    titles = f'name = "{given["scenario"]}"\ntitle = "{given["title"]}"\nabout = "{given["about"]}"\n'
    return f'{titles}{CLUSTER}{node}[[workload]]\ntype = "scripted"\nam = "unmanaged"\n{ask}'
