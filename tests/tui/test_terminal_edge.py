"""What a command writes cannot drive a terminal."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from abc import ABCMeta
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events

from tests.test_architecture import ROOT
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press
from tui.app import SchedlabApp
from tui.screens.page import PageScreen
from tui.terminal.edges import (
    CONTROLS,
    END_SIGNALS,
    TerminalEdge,
    end_at_once,
    ended_by_signals,
    ending,
    heard,
    listening,
    report,
    write_controls,
)
from tui.terminal.screen_edges import HIGHEST, WIDEST, TypedInput

HOSTILE = "\x1b]52;c;aGk=\x07\x9b31m\u202e\x7f\rx"


@pytest.mark.parametrize(
    ("streams", "code", "words"),
    [
        ("--version >/dev/full", 2, "schedlab: standard output cannot be written: no space left on device\n"),
        ("get spark-packing picture >&-", 2, "schedlab: standard output cannot be written: bad file descriptor\n"),
        ("--version >&-", 2, "schedlab: standard output cannot be written: bad file descriptor\n"),
        ("--version >&- 2>&-", 2, ""),
        ("--version 2>&- <&-", 0, ""),
    ],
)
def test_a_stream_that_takes_nothing_is_named(streams: str, code: int, words: str) -> None:
    """Once, and the program ends with 2; a stream nobody writes to may be closed."""
    command = ["sh", "-c", f'"$@" {streams}', "sh", sys.executable, "-m", "tui"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    assert (done.returncode, done.stderr) == (code, words)


def test_only_our_own_controls_pass() -> None:
    """Whoever writes colours says so; a letter that the encoding lacks is written out."""
    data = io.BytesIO()
    edge = TerminalEdge(data, "ascii", errors="backslashreplace", newline="")

    edge.write("\x1bé")
    write_controls(edge, "\x1b[0m")
    edge.flush()

    assert data.getvalue() == b"\\u001b\\xe9\x1b[0m"


@pytest.mark.parametrize("arguments", [("scenario", "check"), ("scenario", "show"), ("play", "--quiet"), ("config",)])
def test_no_command_lets_a_name_through(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = tmp_path / "a\x1b[31m.toml"
    user = "".join(f"\\u{ord(character):04x}" for character in HOSTILE)
    file.write_text(
        f'title = "{user}"\nduration = "5s"\n"{user}" = 1\n[cluster]\nnodes = [{{host="n", memory="4g", vcores=4}}]\n'
        f'[[workload]]\ntype = "scripted"\nuser = "{user}"\nname = "{user}"\nasks = [{{ memory = "1g" }}]\n'
    )
    for accepted in (False, True):
        if accepted:
            file.write_text(file.read_text().replace(f'"{user}" = 1\n', ""))
        done = subprocess.run(
            [sys.executable, "-m", "tui.cli.cli", *arguments, str(file)], cwd=ROOT, capture_output=True, check=False
        )
        words = (done.stdout + done.stderr).decode()
        assert words
        assert all(character.isprintable() or character == "\n" for character in words), words


# Bytes typed into a screen: what means nothing is ignored, and the program reads on.


def _keys(data: bytes) -> list[str]:
    """The keys that bytes mean, one after the other, then an `a`."""
    typed = TypedInput()
    found = [*typed.read(data), *typed.wait(), *typed.read(b"a")]
    return [message.key for message in found if isinstance(message, events.Key)]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"\xe9",
        b"\x9b31m",
        b"\xed\xa0\x80",
        b"\x1b[999999999;999999999H",
        b"\x1b[55296u",
        b"\x1b[1114112u",
        b"\x1b[99999999999999999999u",
        b"\x1b[48;0;0;0;0t\x1b[<0;9;9M",
    ],
)
def test_bytes_that_mean_nothing_are_ignored(data: bytes) -> None:
    """No UTF-8, no character of that number, a screen of no size: the key after them arrives, and is the last."""
    assert _keys(data)[-1] == "a"
    assert "H" not in _keys(data)


def test_keys_and_sequences_keep_their_meaning() -> None:
    typed = TypedInput()
    found = typed.read(b"k\x1b[A\x1b[200~x\xffy\x1b[201~\x1b[I")
    pasted = [message.text for message in found if isinstance(message, events.Paste)]

    assert [message.key for message in found if isinstance(message, events.Key)] == ["k", "up"]
    assert pasted == ["xy"]


@pytest.mark.parametrize(
    ("width", "height", "is_believed"),
    [(WIDEST, HIGHEST, True), (WIDEST + 1, 24, False), (80, HIGHEST + 1, False), (0, 24, False), (80, 0, False)],
)
def test_a_size_that_no_terminal_has_is_ignored(width: int, height: int, is_believed: bool) -> None:
    found = TypedInput().read(f"\x1b[48;{height};{width};{height};{width}t".encode())

    assert any(isinstance(message, events.Resize) for message in found) == is_believed


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_paste_with_escapes_in_it_stays_a_paste(cut: int) -> None:
    """Nothing in it is a key; it comes without what would order something, in any pieces after its beginning."""
    data, typed = b"a\nb\x1b[31m\x1bc\x1b[201~d", TypedInput()
    messages = [
        *typed.read(b"\x1b[200~"),
        *typed.read(data[:cut]),
        *typed.wait(),
        *typed.read(data[cut:]),
        *typed.wait(),
    ]

    assert [each.text for each in messages if isinstance(each, events.Paste)] == ["a\nb[31mc"]
    assert [each.key for each in messages if isinstance(each, events.Key)] == ["d"]


# What names, keys and titles hold does not reach the terminal of a screen.

SCREEN_HOSTILE = "\x1b]52;c;aGk=\x07\x9b31m\u202e\x7f\r\n\t[bold]x[/y]\ud800"


async def test_no_screen_lets_a_name_through(tmp_path: Path) -> None:
    """Rows, strips, titles, dialogs and forms are drawn, and no line of them drives a terminal."""
    rows = [fakes.application_row(7, name=SCREEN_HOSTILE, user=SCREEN_HOSTILE, queue=f"root.{SCREEN_HOSTILE}")]
    queues = [fakes.queue_row(f"root.{SCREEN_HOSTILE}")]
    snapshot = fakes.FakeSnapshot(
        fakes.header(), applications=rows, queues=queues, nodes=[fakes.node_row(SCREEN_HOSTILE)]
    )
    app = SchedlabApp(FakeSession(snapshot), save_folder=tmp_path)
    drawn = ""
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("1", "d", "w", "y", "K", "M", "a", "2", "E", "3", "S", "question_mark", "f7", "5", "z"):
            await press(pilot, key)
            drawn += "".join(strip.text for strip in app.screen._compositor.render_strips())
            await pilot.press(*(["escape"] if app.screen is not app.cluster else []))

    assert r"\u009b31m" in drawn
    assert CONTROLS.findall(drawn) == []


async def test_what_is_copied_gives_no_order_where_it_is_pasted() -> None:
    app = SchedlabApp(FakeSession())
    async with app.run_test():
        app.copy_to_clipboard("a\x1b[31m")

        assert app.clipboard == "a\\u001b[31m"


# What is left of a mistake of our own.


def test_the_details_go_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence names the file, which has the traceback and is its owner's alone, whatever was there before."""
    monkeypatch.setattr("tui.terminal.edges.folder", lambda: tmp_path / "state")
    path = tmp_path / "state" / "crash.txt"
    path.parent.mkdir()
    path.write_text("older", encoding="utf-8")
    path.chmod(0o644)
    words = report(KeyError("n1"))

    assert ("KeyError: 'n1'" in words, str(path) in words) == (True, True)
    assert ("KeyError" in path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == (True, 0o600)


async def _press(app: SchedlabApp, key: str) -> None:
    async with app.run_test() as pilot:
        await press(pilot, key)


async def test_an_error_in_a_handler_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tui.terminal.edges.folder", lambda: tmp_path)

    class Broken(FakeSession):
        """Cannot make a step."""

        async def step(self, unit: str) -> None:
            raise ZeroDivisionError("oops")

    app = SchedlabApp(Broken(), ascii_only=True)
    with pytest.raises(ZeroDivisionError):
        await _press(app, "t")
    printed = "".join(capsys.readouterr())

    assert (app.return_code, "Traceback" in printed, (tmp_path / "crash.txt").exists()) == (70, False, True)


async def test_a_page_opened_as_the_program_ends_is_no_mistake() -> None:
    """It gets no widgets any more, and the program ends as it was asked to."""
    app = SchedlabApp(FakeSession())
    async with app.run_test():
        app.exit(return_code=143)
        page = PageScreen("x", "y")
        page.compose = lambda: ()  # type: ignore[method-assign]  # as textual leaves it then
        _ = app.push_screen(page)

    assert app.return_code == 143


# Signals that end the program: in order, and only those that somebody wants heard.


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in END_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", END_SIGNALS)
def test_a_signal_ends_the_program_by_its_number(number: signal.Signals) -> None:
    """With 128 + n, as an exit that cleans up; afterwards, when all is done, without a word."""
    with pytest.raises(SystemExit) as ended, ended_by_signals():
        os.kill(os.getpid(), number)

    assert ended.value.code == 128 + number
    assert {signal.getsignal(each) for each in END_SIGNALS} == {signal.SIG_DFL}


def test_a_signal_that_comes_where_an_exception_would_be_lost_comes_again() -> None:
    """As where pydantic asks whether something is an instance, and takes any exception for a no."""

    class Asked(metaclass=ABCMeta):  # noqa: B024 -- abc asks the hook
        @classmethod
        def __subclasshook__(cls, other: type) -> bool:
            os.kill(os.getpid(), signal.SIGTERM)
            return True

    answers = []
    with pytest.raises(SystemExit), ended_by_signals():  # noqa: PT012 -- the signal comes again some time later
        answers.append(isinstance("", Asked))
        while True:
            os.sched_yield()

    assert answers == [True]


def test_a_signal_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with ended_by_signals(), listening() as interruption:
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.SIGHUP not in heard()
    end_at_once()

    assert (interruption.came(), signal.getsignal(signal.SIGHUP)) == (False, signal.SIG_IGN)


def test_a_run_is_ended_between_two_instants_and_at_once_the_second_time() -> None:
    with ended_by_signals(), listening() as interruption:
        os.kill(os.getpid(), signal.SIGINT)
        assert (interruption.came(), interruption.signal) == (True, signal.SIGINT)
        with pytest.raises(SystemExit):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", END_SIGNALS)
async def test_a_running_loop_hears_of_a_signal(number: signal.Signals) -> None:
    before, came = signal.getsignal(number), asyncio.Queue[int]()
    with ending(came.put_nowait):
        os.kill(os.getpid(), number)
        first = await came.get()

    assert (first, signal.getsignal(number)) == (number, before)


async def test_the_second_signal_ends_a_running_loop_at_once() -> None:
    with ended_by_signals(), ending(lambda number: None):
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0)
        with pytest.raises(SystemExit) as ended:
            os.kill(os.getpid(), signal.SIGINT)

    assert ended.value.code == 128 + signal.SIGINT
