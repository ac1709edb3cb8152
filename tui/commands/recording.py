"""`--record FILE`: what is drawn on screen goes to a file as well, which `schedlab replay` plays."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.observe.new_file import NewFile
from tui.cast import MEGABYTE, CastWriter
from tui.terminal_edge import visible_line

MOST_MB: Final = 50
"""Size at which a recording ends."""

Record = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE.cast", help=f"Record the screen, up to {MOST_MB} MB (asciicast v2)."),
]


@contextmanager
def recorded(path: Path | None, title: str) -> Iterator[Callable[[str], object] | None]:
    """Takes what is drawn until the end, when it is said what was recorded; None where no file is named.

    Raises:
        ConfigError: The file is there already, or cannot be made.
    """
    if path is None:
        yield None
        return
    file = NewFile.create(path)
    recorder = CastWriter(file, title, shutil.get_terminal_size, MOST_MB * MEGABYTE)
    try:
        yield recorder.write
    finally:
        file.close()
        if recorder.written:
            cut = f"; cut off: {recorder.ended}" if recorder.ended else ""
            length = f"{recorder.length_s:.0f} s, {recorder.written / MEGABYTE:.1f} MB"
            typer.echo(visible_line(f"recorded in {path}: {length}{cut}; schedlab replay plays it"), err=True)
