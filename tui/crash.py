"""Handles an error of the program itself: the details go to a file, the user gets one sentence that names it."""

import os
import traceback
from pathlib import Path

import platformdirs

from tui.terminal_edge import visible_line


def folder() -> Path:
    """Return where reports of our own mistakes are kept."""
    return Path(platformdirs.user_state_dir("schedlab"))


def report(error: BaseException) -> str:
    """Write the details of an error to a file; the sentence to show instead of them."""
    words = visible_line(f"schedlab met a mistake of its own: {type(error).__name__}: {error}".splitlines()[0])
    details = "".join(traceback.format_exception(error))
    path = folder() / "crash.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(details)
    except OSError:
        return words
    return f"{words}\nThe details are in {path}; please report it with them."
