"""Damaged histories, unfinished exercises, sweeps and kept polls, given to every command that reads one."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from engine.training.records import FILE, PlayedDrill, keep_played
from engine.training.unfinished import FOLDER
from tests.engine.recorded.polls import keep, polled
from tests.gates.attacks.runs import cut, flipped, foreign, hollow, lengthened, shuffled
from tests.gates.attacks.tally import SECONDS, Tally
from tests.invoke import said

DRILL: Final = "second-job-waits"  # played whole in a tenth of a second
STEP: Final = '{"at": 5, "do": "note", "words": "seen"}'
SCENARIO: Final = "reservation-deadlock-rule-limited"


class Kind(NamedTuple):
    """A store that is damaged: who writes it, and who reads it. `{}` of a command is the folder."""

    written: Callable[[Path], Path]
    """Writes a good one into a folder and names the file that is damaged."""
    commands: tuple[str, ...]


def _history(folder: Path) -> Path:
    for number in range(3):
        keep_played(folder, "ann", PlayedDrill(DRILL, f"2026-01-0{number + 1}T00:00:00", 40 + number, None, (STEP,)))
    return folder / FILE


def _unfinished(folder: Path) -> Path:
    path = folder / FOLDER / f"{DRILL}-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(f'{{"trainee": "ann", "drill": "{DRILL}", "when": "2026-01-01T00:00:00"}}\n{STEP}\n')
    return path


def _sweep(folder: Path) -> Path:
    path = folder / "one.sweep"
    result = said(f"tune {SCENARIO} --vary seed=1,2 --until +20 --workers 1 -o", [str(path)])
    assert result.exit_code == 0, result.output
    return path


def _polls(folder: Path) -> Path:
    kept = keep(folder, polled()[:12])
    kept.writer.finish()
    return min(kept.path.glob("part-*"))


KINDS: Final = {
    "history": Kind(
        _history,
        (
            "drill list -c history_folder={}",
            f"drill report {DRILL} --try last --trainee ann -c history_folder={{}}",
            "drill report -o csv -c history_folder={}",
        ),
    ),
    "unfinished": Kind(_unfinished, ("drill list -c history_folder={}", "drill report -c history_folder={}")),
    "sweep": Kind(_sweep, ("tune {}/one.sweep -o json",)),
    "polls": Kind(
        _polls,
        (
            "runs -c runs_folder={}",
            "get {name} -o json -c runs_folder={}",
            "get {name} apps --at +5 -c runs_folder={}",
            "get {name} events -o jsonl -c runs_folder={}",
            "runs repair {name} -c runs_folder={}",
            "get {name} -c runs_folder={}",
            "runs rm {name} --yes -c runs_folder={}",
        ),
    ),
}


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Damage each kind of store in turn, as often as that."""
    random, tally = Random(f"stores {seed}"), Tally("stores", longest_s)
    goods = {}
    for name, kind in KINDS.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            path = kind.written(folder)
            goods[name] = {each.relative_to(folder): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
            goods[name] = {path.relative_to(folder): path.read_bytes()} | goods[name]
    for number in range(count):
        name = list(KINDS)[number % len(KINDS)]
        damage = random.choice(DAMAGES)
        with tempfile.TemporaryDirectory() as made:
            _try(tally, f"{number} {name} {damage.__name__}", Path(made), KINDS[name], goods[name], damage, random)
    return tally


def _try(
    tally: Tally,
    label: str,
    folder: Path,
    kind: Kind,
    good: dict[Path, bytes],
    damage: Callable[[Random, bytes], bytes],
    random: Random,
) -> None:
    for path, data in good.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    path, data = next(iter(good.items()))
    (folder / path).write_bytes(damage(random, data))
    run = path.parts[0]
    for command in kind.commands:
        tally.give(f"{label}: {command}", [part.format(folder, name=run) for part in command.split()])


def other_schema(random: Random, good: bytes) -> bytes:
    """A database whose tables or version are those of another release; another file says another format."""
    if not good.startswith(b"SQLite"):
        return good.replace(b'"format":1', b'"format":2').replace(b'"drill"', b'"drills"')
    statements = (
        "ALTER TABLE {} ADD COLUMN later TEXT",
        "ALTER TABLE {} RENAME TO other",
        "DROP TABLE {}",
        "PRAGMA user_version = 99",
        "UPDATE {} SET rowid = 9e9",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(good)
        with closing(sqlite3.connect(path)) as found:
            names = [row[0] for row in found.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            try:
                found.execute(random.choice(statements).format(random.choice(names)))
                found.commit()
            except sqlite3.Error:
                return good[: len(good) // 2]
        return path.read_bytes()


def other_values(random: Random, good: bytes) -> bytes:
    """A database whose cells have values of other types; of another file some bytes differ."""
    if not good.startswith(b"SQLite"):
        return flipped(random, good)
    values = (None, -1, 9e99, "x", "{}", "[", b"\xff\0", "9" * 400, "\x1b[31m", 2**63 - 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(good)
        with closing(sqlite3.connect(path)) as found:
            (table,) = random.choice(found.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall())
            columns = [row[1] for row in found.execute(f"PRAGMA table_info({table})")]
            try:
                found.execute(f"UPDATE {table} SET {random.choice(columns)} = ?", (random.choice(values),))
                found.commit()
            except sqlite3.Error:
                return flipped(random, good)
        return path.read_bytes()


DAMAGES: Final = (flipped, cut, hollow, shuffled, lengthened, foreign, other_schema, other_values, other_values)
