"""Command lines and what they say, stored as one sees them in a terminal: a file for each command.

`SCHEDLAB_WRITE_GOLDEN=1` writes the files anew; then read the difference.
"""

import shlex
from collections.abc import Iterable

from tests.invoke import said
from tests.stored import golden


def transcript(name: str, lines: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """(what each line says now, what is stored of it): output, complaints as `! …`, and an exit code that is not 0."""
    said = {line: _run(line) for line in lines}
    written = "\n".join(f"$ {line}\n{text}" for line, text in said.items())
    kept = golden(f"commands/{name}", written).split("$ schedlab ")[1:]
    stored = {f"schedlab {line}": text.strip("\n") for line, _, text in (each.partition("\n") for each in kept)}
    return {line: text.strip("\n") for line, text in said.items()}, stored


def _run(line: str) -> str:
    done = said("", shlex.split(line)[1:])
    complaints = "".join(f"! {each}\n" for each in done.stderr.splitlines())
    return done.stdout + complaints + (f"exit {done.exit_code}\n" if done.exit_code else "")
