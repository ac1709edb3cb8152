"""Acts whose words are typed: another size, a new node, another partition, another allocation file."""

from pathlib import Path
from typing import Any

import pytest

from tests.tui.fake_session import FakeSession
from tests.tui.fakes import HOSTS
from tests.tui.screen_text import screen_lines
from tui.acts.command import CommandError, Names, parse
from tui.app import SchedlabApp


async def asked(*keys: str, confirm: str = "never") -> tuple[list[Any], str, str]:
    """(what the session was asked, the last line, the whole screen) after keys."""
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True, confirm=confirm)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("3", "home")
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        lines = screen_lines(app)
    return session.calls, lines[-1], "\n".join(lines)


async def test_a_key_begins_the_command_with_what_there_is() -> None:
    """The host and the size of the row; what is changed is done with enter."""
    calls, line, _ = await asked("Z")
    assert calls == []
    assert line.startswith(f": resize {HOSTS[0]} 100g 32 ")


async def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    calls, line, _ = await asked("F", "x", "enter")
    assert calls == []
    assert "x" in line


async def test_a_question_says_from_what_to_what() -> None:
    calls, _, screen = await asked("Z", "enter", confirm="always")
    assert calls == [("hold", True)]
    assert f"Resize {HOSTS[0]}" in screen
    assert "What runs there runs on." in screen


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("resize n1 16g 8", "node_acts.resize_to('n1', 16384, 8)"),
        ("resize n1 512 0", "node_acts.resize_to('n1', 512, 0)"),
        ("add n9 1.5g 2", "node_acts.add_named('n9', 1536, 2, '')"),
        ("add n9 1g 2 /r1", "node_acts.add_named('n9', 1024, 2, '/r1')"),
        ("label n1 gpu", "node_acts.label_as('n1', 'gpu')"),
        ("label n1", "node_acts.label_as('n1', '')"),
        ("label n1 default", "node_acts.label_as('n1', '')"),
        ("reload a b.xml", "cluster_acts.reload_from('a b.xml')"),
    ],
)
def test_what_is_typed_is_read(line: str, call: str) -> None:
    assert parse(line, (), Names()) == call


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("resize n1 16g", "a node, its memory and its vcores are wanted"),
        ("resize n1 16q 8", "is not an amount of memory"),
        ("resize n1 16g -1", "a number of vcores is wanted"),
        (f"resize n1 16g {2**31}", "a number of vcores is wanted"),
        ("add n9 1g", "a host, its memory and its vcores are wanted"),
        ("add n9 1g 2 /r1 x", "a host, its memory and its vcores are wanted"),
        ("label", "a node and a partition are wanted"),
        ("label n1 gpu x", "a node and a partition are wanted"),
        ("reload", "the path of a fair-scheduler.xml is wanted"),
    ],
)
def test_what_is_wrong_is_said_with_the_usage(line: str, problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        parse(line, (), Names())
