"""Recordings of a terminal: what is written, what is read, what passes to a terminal."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import FileIO
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.observe.new_file import NewFile
from tests.tui.small_run import Wall
from tui.cast import Cast, CastPiece, CastWriter, DrawingOnly, read_cast

HEAD = '{"version": 2, "width": 80, "height": 24}'


class FakeSize:
    """A terminal of a size."""

    def __init__(self) -> None:
        self.size = (80, 24)

    def __call__(self) -> tuple[int, int]:
        return self.size


@contextmanager
def recorder(path: Path, wall: Wall, screen: FakeSize, most_bytes: int = 10_000) -> Iterator[CastWriter]:
    with closing(NewFile.create(path)) as file:
        yield CastWriter(file, "mine", screen, most_bytes, wall)


def test_a_recording_is_read_as_it_was_made(tmp_path: Path) -> None:
    """Times count from the first output; the size is the largest there was; what does not draw is not there."""
    path, wall, screen = tmp_path / "a.cast", Wall(), FakeSize()
    with recorder(path, wall, screen) as made:
        made.write("\x1b[?1000h")
        wall.now += 9
        made.write("\x1b[?1049hone")
        wall.now += 1.5
        screen.size = (100, 20)
        made.write("zwei ü\n")

    assert read_cast(path) == Cast(100, 24, None, (CastPiece(0.0, "\x1b[?1049hone"), CastPiece(1.5, "zwei ü\n")))
    head, *events = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert (head["version"], head["title"], [event[1] for event in events]) == (2, "mine", ["o", "r", "o"])
    assert (made.length_s, made.ended) == (1.5, "")


def test_a_recording_ends_before_it_is_too_large(tmp_path: Path) -> None:
    """What does not fit is left out with all that follows; the file is whole."""
    path, wall = tmp_path / "a.cast", Wall()
    with recorder(path, wall, FakeSize(), 1000) as made:
        made.write("x" * 500)
        made.write("y" * 500)
        made.write("z")

    assert [piece.output[0] for piece in read_cast(path).pieces] == ["x"]
    assert made.ended == "it has 0.001 MB, and may not be larger"
    assert path.stat().st_size == made.written <= 1000


def test_a_full_disk_ends_a_recording_and_not_the_program(tmp_path: Path) -> None:
    with closing(NewFile(FileIO("/dev/full", "w"), "a.cast")) as file:
        made = CastWriter(file, "mine", FakeSize(), 1000, Wall())
        made.write("one")
        made.write("two")

    assert (made.written, "no space left on device" in made.ended) == (0, True)


def test_nothing_is_left_of_a_recording_without_output(tmp_path: Path) -> None:
    file = NewFile.create(tmp_path / "a.cast")
    CastWriter(file, "mine", FakeSize(), 1000, Wall()).write("\x1b[6n")
    file.close()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a.cast:1: is no JSON"),
        ("[]", "a.cast:1: is no asciicast: its first line has no version"),
        ('{"version": 3, "term": {}}', "is asciicast version 3; version 2 is read"),
        ('{"version": 2, "width": 0, "height": 24}', "has no size of a terminal"),
        ('{"version": 2, "width": 80, "height": 1001}', "has no size of a terminal"),
        (f"{HEAD}\nbad", "a.cast:2: is no JSON"),
        (f'{HEAD}\n\n[1, "o"]', "a.cast:3: is no event"),
        (f'{HEAD}\n[-1, "o", "x"]', "is no event"),
        (f'{HEAD}\n[NaN, "o", "x"]', "is no event"),
        (f'{HEAD}\n[2, "o", "x"]\n[1, "o", "x"]', "a.cast:3: goes back in time, from 2 s to 1 s"),
        (f"{HEAD}\n" + "[" * 100_000, "is no JSON"),
    ],
)
def test_what_is_no_recording_is_refused_in_words(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError) as refused:
        read_cast(path)
    assert words in str(refused.value)


def test_other_kinds_of_events_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    head = HEAD.replace("}", ', "idle_time_limit": 2}')
    path.write_text(f'{head}\n[1, "i", "k"]\n[1, "m", ""]\n[1, "r", "9x99999"]\n[2, "o", "x"]\n', encoding="utf-8")

    assert read_cast(path) == Cast(80, 24, 2.0, (CastPiece(2.0, "x"),))


@pytest.mark.parametrize(
    "order",
    [
        "\x1b]52;c;cm0gLXJmIH4K\x07",
        "\x1b]0;title\x1b\\",
        "\x1bP$q q\x1b\\",
        "\x1b[6n",
        "\x1b[c",
        "\x1b[>1u",
        "\x1b[?1003h",
        "\x1b[?2004h",
        "\x1b[?2026$p",
        "\x1b[8;999;999t",
        "\x1bc",
        "\x07",
        "\x9b31m",
        "\x0e",
    ],
)
def test_orders_that_do_not_draw_are_left_out(order: str) -> None:
    for place in range(len(order)):
        only = DrawingOnly()
        assert (only.feed(f"a{order[:place]}") + only.feed(f"{order[place:]}b")).replace("31m", "") == "ab"


@pytest.mark.parametrize(
    "order", ["\x1b[38;2;1;2;3m", "\x1b[10;20H", "\x1b[2J", "\x1b[?25l", "\x1b[?2026h", "\x1b7", "\x1b(0", "\r\n\t\b"]
)
def test_orders_that_draw_pass(order: str) -> None:
    for place in range(len(order)):
        only = DrawingOnly()
        assert only.feed(order[:place]) + only.feed(order[place:]) == order


def test_an_order_that_never_ends_holds_nothing_up() -> None:
    only = DrawingOnly()

    assert only.feed("\x1b]52;" + "x" * 4000) == ""
    assert only.feed("y" * 200 + "end").endswith("end")
