"""Saving what is on screen: where, under which name, and what is in it."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.segment import Segment
from rich.style import Style

from engine.errors import ConfigError, OutputError
from engine.observe.journal import NewFile
from engine.sweep import SweepStore
from tests.small_disk import small_disk
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tests.tui.small_run import now
from tui.app import SchedlabApp
from tui.keymap import rebound
from tui.panes.export import stem
from tui.screens.cluster import ClusterScreen
from tui.screens.page import HelpScreen
from tui.terminal.saving import save, write_file
from tui.terminal.svg import CELL, drawing


def _app(folder: Path) -> SchedlabApp:
    return SchedlabApp(FakeSession(), ascii_only=True, save_folder=folder)


async def _saved(folder: Path, *keys: str) -> dict[str, str]:
    """Name → text of what is in the folder after these keys."""
    async with _app(folder).run_test(size=(120, 40)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
    return _contents(folder)


def _contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in sorted(folder.iterdir())}


async def test_a_saved_screen_fetches_nothing_from_the_network(tmp_path: Path) -> None:
    files = await _saved(tmp_path, "z")
    svg = next(text for name, text in files.items() if name.endswith(".svg"))

    assert (svg.count("http"), svg.count("http://www.w3.org/2000/svg"), "url(http" in svg) == (1, 1, False)


@pytest.mark.parametrize("keys", [(), ("question_mark",), ("3",)])
async def test_the_columns_of_a_drawing_are_those_of_the_screen(keys: tuple[str, ...], tmp_path: Path) -> None:
    """Every word stands at a place of its own, every sign of a meter too; nothing depends on how wide a font is."""
    app = SchedlabApp(FakeSession(), save_folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        shown, svg = screen_text(app).splitlines(), app.export_screenshot()
    cells: dict[tuple[int, int], str] = {}
    words = list(ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
    for word in words:
        text, places = word.text or "", [int(x) // CELL[0] for x in word.attrib["x"].split()]
        row = int(word.attrib["y"]) // CELL[1]
        where = places if len(places) > 1 else range(places[0], places[0] + len(text))
        cells |= {(row, column): sign for column, sign in zip(where, text, strict=True)}
    drawn = ["".join(cells.get((row, column), " ") for column in range(120)).rstrip() for row in range(40)]

    assert (drawn, [word.text for word in words if " " in (word.text or " ")]) == (shown, [])
    assert all(
        len(word.text or "") == 1 or word.text.isascii() or " " in word.attrib["x"] for word in words if word.text
    )


def test_letters_that_combine_stay_one_run() -> None:
    line = [Segment("日本 e\u0301x", Style(bold=True, reverse=True))]
    first, *others = ET.fromstring(drawing([line], "a < b")).iter("{http://www.w3.org/2000/svg}text")

    assert (first.text, first.attrib["textLength"], first.attrib["font-weight"]) == ("日本", "48", "bold")
    assert [(other.text, other.attrib["x"]) for other in others] == [("e", "60"), ("\u0301", "72"), ("x", "72")]


async def test_the_screen_is_saved_as_svg_and_text(tmp_path: Path) -> None:
    files = await _saved(tmp_path, "z")
    name = "reservation-deadlock-2017-11-11T09.01.00-screen"

    assert list(files) == [f"{name}.svg", f"{name}.txt"]
    assert (files[f"{name}.svg"].startswith("<svg"), "Applications" in files[f"{name}.txt"]) == (True, True)


async def test_the_text_is_what_stands_on_screen(tmp_path: Path) -> None:
    app = _app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        shown = screen_text(app)
        await pilot.press("z")
        await pilot.pause()

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
        await pilot.press("x")
        await pilot.pause()
        text = screen_text(app)

    assert f"Saved {tmp_path}/reservation-deadlock-2017-11-11T09.01.00-applications.csv, .json" in text


async def test_what_cannot_be_saved_is_told(tmp_path: Path) -> None:
    """A file where the folder should be: one sentence, and the program goes on."""
    (tmp_path / "file").touch()
    app = _app(tmp_path / "file")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("x")
        await pilot.pause()
        text = screen_text(app)

    assert "! Not saved: " in text


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine", encoding="utf-8")
    paths = save(tmp_path, "a", {"svg": "s", "txt": "t"})

    assert [path.name for path in paths] == ["a-2.svg", "a-2.txt"]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_is_made(tmp_path: Path) -> None:
    assert save(tmp_path / "new", "a", {"csv": "1,2\r\n"})[0].read_bytes() == b"1,2\r\n"


def test_a_name_is_one_file_name() -> None:
    picture = now(FakeSession(name="../a b/c").picture())

    assert stem(picture) == "a_b_c-2017-11-11T09.01.00"


async def test_a_users_own_key_saves(tmp_path: Path) -> None:
    """It does what the usual one did, help shows it, and the usual one is free."""
    registry = rebound({"table.save": ("ctrl+t",)})
    app = SchedlabApp(FakeSession(), ascii_only=True, save_folder=tmp_path, registry=registry)
    async with app.run_test(size=(120, 110)) as pilot:
        await pilot.press("x")
        await pilot.pause()
        before = len(_contents(tmp_path))
        await pilot.press("ctrl+t")
        await pilot.pause()
        after = len(_contents(tmp_path))
        await pilot.press("question_mark")
        helped = app.screen
        assert isinstance(helped, HelpScreen)
        text = helped.text

    assert (before, after, "ctrl+t" in text) == (0, 2, True)


async def test_hints_show_a_users_own_keys() -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True, registry=rebound({"pause": ("f5",)}))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, ClusterScreen)
        last = screen_text(app).splitlines()[-1]

    assert "F5 pause" in last


def test_a_minus_is_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for force in (False, True):
        write_file(Path("-"), [b"a,b\n", "ä\n".encode()], force=force)

    assert (capsys.readouterr().out, list(tmp_path.iterdir())) == ("a,b\nä\n" * 2, [])


@pytest.mark.parametrize(
    "made",
    [
        NewFile.create,
        lambda path: SweepStore.created(path, {}),
    ],
)
def test_what_has_to_be_a_file_is_not_the_output(
    made: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="the output"):
        made(Path("-"))

    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_whole_is_taken_away(tmp_path: Path) -> None:
    with small_disk(10), pytest.raises(OutputError, match=r"x\.json: cannot be written: file too large"):
        save(tmp_path, "x", {"csv": "short", "json": "longer than the disk"})

    assert list(tmp_path.iterdir()) == []
