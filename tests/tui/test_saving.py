"""Saving what is on screen: where, under which name, and what is in it."""

import csv
import io
import json
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engine.errors import ConfigError, OutputError
from engine.observe.journal import NewFile
from engine.sweep import SweepStore
from tests.small_disk import small_disk
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_text
from tui.app import SchedlabApp
from tui.keymap import rebound
from tui.report.page import Cell, ReportColumn, ReportGroup, ReportPage, ReportSection, Row, bar, element, key_of, table
from tui.report.sweep_page import FigureCanvas, tone
from tui.screens.page import HelpScreen
from tui.terminal.saving import write_file


def _app(folder: Path) -> SchedlabApp:
    return SchedlabApp(FakeSession(), ascii_only=True, save_folder=folder)


async def _saved(folder: Path, *keys: str) -> dict[str, str]:
    """Name → text of what is in the folder after these keys."""
    async with _app(folder).run_test(size=(120, 40)) as pilot:
        await press(pilot, *keys)
    return _contents(folder)


def _contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in sorted(folder.iterdir())}


async def test_a_saved_screen_fetches_nothing_from_the_network(tmp_path: Path) -> None:
    files = await _saved(tmp_path, "z")
    svg = next(text for name, text in files.items() if name.endswith(".svg"))

    assert (svg.count("http"), svg.count("http://www.w3.org/2000/svg"), "url(http" in svg) == (1, 1, False)


async def test_the_text_is_what_stands_on_screen(tmp_path: Path) -> None:
    app = _app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        shown = screen_text(app)
        await press(pilot, "z")

    assert list(_contents(tmp_path).values())[-1] == shown + "\n"


@pytest.mark.parametrize(
    ("key", "pane", "column"),
    [
        ("1", "applications", "used_memory_mb"),
        ("2", "queues", "fair_share_vcores"),
        ("3", "nodes", "reserved_by"),
        ("4", "reservations", "short_by_memory_mb"),
        ("5", "events", "sentence"),
    ],
)
async def test_every_table_is_saved_as_csv_and_json(key: str, pane: str, column: str, tmp_path: Path) -> None:
    files = await _saved(tmp_path, key, "x")
    base = f"reservation-deadlock-2017-11-11T09.01.00-{pane}"
    lines = list(csv.DictReader(io.StringIO(files[f"{base}.csv"], newline="")))
    told = json.loads(files[f"{base}.json"])

    assert (told["scenario"], told["table"], told["time_ms"]) == ("reservation-deadlock", pane, fakes.NOW)
    assert (len(lines) == len(told["rows"]) > 0, column in lines[0]) == (True, True)


async def test_a_message_says_where(tmp_path: Path) -> None:
    app = _app(tmp_path)
    async with app.run_test(size=(250, 40)) as pilot:
        await press(pilot, "x")
        text = screen_text(app)

    assert f"Saved {tmp_path}/reservation-deadlock-2017-11-11T09.01.00-applications.csv, .json" in text


async def test_what_cannot_be_saved_is_told(tmp_path: Path) -> None:
    """A file where the folder should be: one sentence, and the program goes on."""
    (tmp_path / "file").touch()
    app = _app(tmp_path / "file")
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "x")
        text = screen_text(app)

    assert "! Not saved: " in text


async def test_a_users_own_key_saves(tmp_path: Path) -> None:
    """It does what the usual one did, help shows it, and the usual one is free."""
    registry = rebound({"table.save": ("ctrl+t",)})
    app = SchedlabApp(FakeSession(), ascii_only=True, save_folder=tmp_path, registry=registry)
    async with app.run_test(size=(120, 110)) as pilot:
        await press(pilot, "x")
        before = len(_contents(tmp_path))
        await press(pilot, "ctrl+t")
        after = len(_contents(tmp_path))
        await pilot.press("question_mark")
        helped = app.screen
        assert isinstance(helped, HelpScreen)
        text = helped.text

    assert (before, after, "ctrl+t" in text) == (0, 2, True)


def test_a_minus_is_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for force in (False, True):
        write_file(Path("-"), [b"a,b\n", "ä\n".encode()], force=force)

    assert (capsys.readouterr().out, list(tmp_path.iterdir())) == ("a,b\nä\n" * 2, [])


@pytest.mark.parametrize("made", [NewFile.create, lambda path: SweepStore.created(path, {})])
def test_what_has_to_be_a_file_is_not_the_output(
    made: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="the output"):
        made(Path("-"))

    assert list(tmp_path.iterdir()) == []


# Files that a user names: new ones, and ones that are replaced.


def test_a_file_that_is_there_stays_without_force(tmp_path: Path) -> None:
    target = tmp_path / "x.toml"
    target.write_bytes(b"old")

    with pytest.raises(ConfigError, match="is there already"):
        write_file(target, [b"new"])

    assert target.read_bytes() == b"old"


def test_a_forced_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """Where the disk is full the old one stays, and nothing lies beside it."""
    target = tmp_path / "x.toml"
    target.write_bytes(b"old")
    with small_disk(10), pytest.raises(OutputError):
        write_file(target, [b"longer than the disk"], force=True)
    assert (target.read_bytes(), list(tmp_path.iterdir())) == (b"old", [target])

    write_file(target, [b"new"], force=True)

    assert (target.read_bytes(), list(tmp_path.iterdir())) == (b"new", [target])


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("kept")

    write_file(link, [b"new"], force=True)

    assert (link.is_symlink(), (tmp_path / "kept").read_bytes()) == (True, b"new")


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    """A private one does not become everybody's."""
    target = tmp_path / "x.toml"
    target.touch(mode=0o600)

    write_file(target, [b"new"], force=True)

    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o600)


@pytest.mark.parametrize("name", [".", "pipe"])
def test_only_a_regular_file_is_replaced(tmp_path: Path, name: str) -> None:
    if name == "pipe":
        os.mkfifo(tmp_path / name)

    with pytest.raises(ConfigError, match=r"cannot be written: (is a directory|nobody reads this pipe)"):
        write_file(tmp_path / name, [b"new"], force=True)

    assert (tmp_path / name).exists()


# A report as a file.


EVIL = "<script>alert('x')</script>"


class Tags(HTMLParser):
    """Reads the names of elements and checks that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page() -> str:
    rows = [Row(EVIL, [Cell(EVIL, "strong"), bar([("bA", 0.5), ("bB", 0.0001), ("bC", 0)])])]
    columns = [ReportColumn(EVIL), ReportColumn(EVIL), ReportColumn("worse", is_figure=False)]
    content = table(columns, [ReportGroup(EVIL, rows, EVIL)], key_of({"A": EVIL}))
    return ReportPage(
        (EVIL, EVIL), EVIL, EVIL, EVIL, element("p", EVIL), [ReportSection(EVIL, (content,), EVIL)], (EVIL, "")
    ).html()


def test_every_name_is_escaped_and_every_element_closed() -> None:
    tags = Tags()
    tags.feed(page())
    assert "script" not in tags.seen
    assert tags.open == []


def test_it_fetches_nothing() -> None:
    text = page()
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|url\(|@import", text)


# Figures of a report.


def drawn() -> str:
    """A figure with a line, an area and a title that looks like markup and like a formula."""
    with FigureCanvas("time", 100) as canvas:
        axes = canvas.axes(40, 10, 700, 60)
        axes.plot([0, 1], [1, 2], color=tone("q1"))
        axes.fill_between([0, 1], [1, 2], color=tone("fill"))
        axes.set_title("<b> $x$")
        return canvas.html("what it shows")


def test_text_stays_text_and_ids_are_its_own() -> None:
    """Names are escaped text, and no two figures of a page have an id in common."""
    text = drawn()
    assert "&lt;b&gt; $x$</text>" in text
    assert text.count('id="') == text.count('id="time-')
