"""Files somebody asked to keep: written beside each other under one name, and nothing there is overwritten."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tui.terminal_edge import visible

MOST_ALIKE: Final = 1000
"""Files of one name in a folder, numbered."""


def save(folder: Path, stem: str, contents: Mapping[str, str]) -> list[Path]:
    """Write one file for each ending; where any of them is there already, all get the next number.

    Control characters are written out, so that a file can be shown on a terminal.

    Raises:
        OSError: One cannot be written, or there are too many of this name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, MOST_ALIKE):
        name = stem if number == 1 else f"{stem}-{number}"
        paths = [folder / f"{name}.{ending}" for ending in contents]
        if not any(path.exists() for path in paths):
            for path, content in zip(paths, contents.values(), strict=True):
                with path.open("x", encoding="utf-8", newline="") as file:
                    _ = file.write(visible(content))
            return paths
    raise FileExistsError(17, f"there are {MOST_ALIKE} files of this name", str(folder / stem))
