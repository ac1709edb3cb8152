"""`schedlab watch --keep`: every poll is kept as a run, which `schedlab runs open` shows again without the cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import PollsWriter
from engine.units import UnitError, parse_duration
from tui.commands.keeping import runs_root
from tui.session.keeping import wall_time
from tui.session.poll_keeping import PollKeeping
from tui.terminal_edge import visible_line

KEEP_FOR: Final = "7d"
SHORTEST_MS: Final = 60_000

IsKept = Annotated[
    bool, typer.Option("--keep", help="Keep every poll: go back in it with [ and {; `schedlab runs open` shows it.")
]
KeepFor = Annotated[
    str | None, typer.Option("--keep-for", metavar="D", help=f"With --keep: how long polls are kept; else {KEEP_FOR}.")
]


@contextmanager
def kept_polls(
    where: Callable[[], str],
    offset_ms: int,
    *,
    is_kept: bool,
    kept_as: str | None,
    keep_for: str | None,
    place: Path | None,
) -> Iterator[PollKeeping | None]:
    """Keeps polls while the context lasts, and says under which name at its end; None where nothing is kept.

    Args:
        where: Answers `host:port` of the server.
        offset_ms: East of Greenwich, for times of day.
        kept_as: Its name; None for a free one. It implies that polls are kept, as does `keep_for`.
        keep_for: How long polls are kept, as the user wrote it.
        place: Directory of kept runs; None as settings say.

    Raises:
        ConfigError: The duration cannot be read.
    """
    if not is_kept and kept_as is None and keep_for is None:
        yield None
        return
    keep_for_ms, root = _duration(keep_for or KEEP_FOR), runs_root(place)

    def begin(first: Snapshot) -> PollsWriter:
        return PollsWriter(
            root, kept_as, first, where(), created=wall_time(), offset_ms=offset_ms, keep_for_ms=keep_for_ms
        )

    keeping = PollKeeping(begin)
    try:
        yield keeping
    finally:
        keeping.finish()
        if keeping.name:
            typer.echo(f"kept as {keeping.name}", err=True)
        if keeping.trouble:
            typer.echo(visible_line(f"schedlab: {keeping.trouble}"), err=True)


def _duration(text: str) -> int:
    try:
        found = parse_duration(text)
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--keep-for", hint="7d")]) from None
    if found < SHORTEST_MS:
        raise ConfigError([Problem(f"'{text}' is shorter than a minute", key="--keep-for", hint="7d")])
    return found
