"""What `-o` asks for: forms of an answer, each to stdout or to a file that is written whole or not at all."""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import wrap
from typing import IO, Any, Final, NamedTuple

from engine.errors import Problems, did_you_mean
from engine.formats.regular_files import is_a_folder, is_there
from engine.observe.journal import program_version
from tui.cli.grammar import Given
from tui.cli.verbs import VERBS
from tui.terminal.edges import has_colours, visible_lines, write_bytes, write_controls
from tui.terminal.saving import STANDARD_OUTPUT, write_file

ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "htm": ("html",),
    "html": ("html",),
    "jsonl": ("jsonl",),
    "log": ("rm-log", "text"),
    "markdown": ("md",),
    "txt": ("text",),
    "xml": ("junit", "xml"),
    "yaml": ("text",),
}  # Ending of a file → the forms it may have, where the ending is not the form itself; the first that a command has

FOLDERS: Final = ("witness",)  # Forms that are a folder, which is made

Made = Callable[[], "str | bytes | Iterable[bytes]"]


class Target(NamedTuple):
    form: str
    file: Path | None  # None: stdout


class Stream(NamedTuple):
    form: str
    write: Callable[[str], object]
    is_coloured: bool = False  # True on a terminal that has colours


class Targets(NamedTuple):
    found: tuple[Target, ...]
    force: bool

    def has(self, form: str) -> bool:
        return any(each.form == form for each in self.found)

    def file_of(self, form: str) -> Path | None:
        return next((each.file for each in self.found if each.form == form), None)

    def only_files(self) -> "Targets":
        return self._replace(found=tuple(each for each in self.found if each.file is not None))

    @property
    def on_stdout(self) -> str:
        return next((each.form for each in self.found if each.file is None), "")

    @contextmanager
    def streams(self, forms: Sequence[str], before: Callable[[], object] = lambda: None) -> Iterator[list[Stream]]:
        """Takes these forms while they come, `before` each text to stdout; files are written at the end."""

        def out(text: str) -> None:
            before()
            write_controls(sys.stdout, text)

        wanted = [each for each in self.found if each.form in forms]
        with ExitStack() as stack:
            spools: list[tuple[Path, IO[str]]] = []
            found = [Stream(each.form, out, has_colours()) for each in wanted if each.file is None]
            for form, file in wanted:
                if file is not None:
                    spool = stack.enter_context(TemporaryFile("w+", encoding="utf-8", newline=""))
                    spools.append((file, spool))
                    found.append(Stream(form, spool.write))
            yield found
            for file, written in spools:
                written.seek(0)
                write_file(file, (line.encode() for line in written), force=self.force)

    def write(self, made: Mapping[str, Made], *, is_prose: bool = False) -> None:
        """Write the forms that are asked for and made here: files first. Prose is wrapped for a terminal."""
        for target in sorted(self.found, key=lambda each: each.file is None):
            if target.form not in made:
                continue
            answer = made[target.form]()
            if is_prose and target == ("text", None) and isinstance(answer, str) and sys.stdout.isatty():
                answer = wrapped(answer, shutil.get_terminal_size().columns)
            pieces = [answer.encode()] if isinstance(answer, str) else [answer] if isinstance(answer, bytes) else answer
            if target.file is not None:
                write_file(target.file, pieces, force=self.force)
            elif isinstance(answer, bytes):
                write_bytes(sys.stdout, answer)
            else:
                sys.stdout.writelines(piece.decode() for piece in pieces)

    def answer(
        self,
        schema: str,
        lines: Callable[[], Iterable[str]],
        own: Mapping[str, Any] | None = None,
        source: Mapping[str, str] | None = None,
        *,
        at: str | None = None,
        rows: Sequence[Mapping[str, Any]] | None = None,
        forms: Mapping[str, Made] | None = None,
        is_prose: bool = False,
    ) -> None:
        """Write lines for people, an object for programs, and the other `forms`; prose is wrapped for a terminal.

        `rows` are the lines of JSON lines, and the `items` of the object where it has no keys of its `own`.
        """
        keys = {"items": rows} if own is None else own
        made: dict[str, Made] = {
            "text": lambda: visible_lines(lines()),
            "json": lambda: json_text(enveloped(schema, source, keys, at=at)),
            **(forms or {}),
        }
        if rows is not None:
            made["jsonl"] = lambda: json_lines(schema, rows)
        self.write(made, is_prose=is_prose)


_LABEL: Final = re.compile(r" *(?:\S+(?: \S+)? {2,})?")  # The blanks and the label before the words of a line


def wrapped(lines: str, width: int) -> str:
    r"""Lines broken at words, so that a terminal breaks none within one; what follows stands below the first words.

    >>> print(wrapped("because   the only node is too full\n", 24), end="")
    because   the only node
              is too full
    """
    found: list[str] = []
    for line in lines.splitlines():
        label = _LABEL.match(line)
        indent = " " * (label.end() if label is not None else 0)
        found += wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]
    return "".join(f"{line}\n" for line in found)


def targets_of(
    given: Given, forms: Sequence[str] = (), *, default: str | None = None, only_files: bool = False
) -> Targets:
    """What `-o` asks for, refused before anything is played where it cannot be.

    stdout has the `default`, else the first of the `forms`; beside files nothing where they are the `only_files`.
    """
    forms = forms or VERBS[given.verb].forms
    problems = Problems()
    asked = [_target(text, forms, problems, force=given.is_on("force")) for text in given.many("output")]
    found = [each for each in asked if each is not None]
    if sum(each.file is None for each in found) > 1:
        problems.add("only one form goes to stdout", key="-o", hint="-o FORMAT:FILE for the others")
    problems.check()
    if not found or (not only_files and all(each.file is not None for each in found)):
        found.append(Target(forms[0] if default is None else default, None))
    targets = Targets(tuple(found), given.is_on("force"))
    if targets.on_stdout not in ("", "text", "screen") and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # programs read it, whatever the locale
    return targets


def _target(text: str, forms: Sequence[str], problems: Problems, *, force: bool) -> Target | None:
    form, colon, name = text.partition(":")
    if not colon and ("." in text or "/" in text):
        return _by_ending(text, forms, problems, force=force)
    if form not in forms:
        problems.add(f"there is no form {form or text} here", key="-o", hint=did_you_mean(form, forms))
        return None
    if form in FOLDERS and not name:
        problems.add(f"{form} has no folder", key="-o", hint=f"-o {form}:DIR")
    file = Path(name) if name and Path(name) != STANDARD_OUTPUT else None
    return Target(form, _free(form, file, problems, force=force))


def _by_ending(text: str, forms: Sequence[str], problems: Problems, *, force: bool) -> Target | None:
    file = Path(text)
    ending = file.suffix.removeprefix(".").lower()
    form = next((each for each in ENDINGS.get(ending, (ending,)) if each in forms), None)
    if form is None:
        hint = f"FORMAT:FILE says which: {', '.join(forms)}"
        problems.add(f"{file.name} has no ending that says its form", key="-o", hint=hint)
        return None
    return Target(form, _free(form, file, problems, force=force))


def _free(form: str, file: Path | None, problems: Problems, *, force: bool) -> Path | None:
    if file is not None and not force and is_there(file) and not file.is_dir():
        problems.add("is there already", file=str(file), hint="-f replaces it")
    if file is not None and form not in FOLDERS and not is_a_folder(file.parent):
        problems.add("its folder is not there", file=str(file))
    return file


def enveloped(
    schema: str, source: Mapping[str, str] | None, own: Mapping[str, Any], *, at: str | None = None
) -> dict[str, Any]:
    """An answer as one JSON object: what it is, of what, of when; then its own keys, which win."""
    head: dict[str, object] = {
        "schema": schema,
        "schedlab": program_version(),
        "source": source,
        "at": at,
        "assumed": [],
        "unknown": [],
    }
    return {**head, **own, "schema": schema}


def json_text(document: object) -> str:
    return json.dumps(document, indent=1) + "\n"


def json_lines(schema: str, rows: Iterable[Mapping[str, Any]]) -> str:
    head = {"schema": schema, "schedlab": program_version()}
    return "".join(json.dumps(row) + "\n" for row in (head, *rows))
