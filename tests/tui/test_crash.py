"""What is left of a mistake of our own."""

from pathlib import Path

import pytest

from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp
from tui.screens.page import PageScreen
from tui.terminal import edges as crash


def test_the_details_go_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence names the file, which has the traceback and is its owner's alone, whatever was there before."""
    monkeypatch.setattr(crash, "folder", lambda: tmp_path / "state")
    path = tmp_path / "state" / "crash.txt"
    path.parent.mkdir()
    path.write_text("older", encoding="utf-8")
    path.chmod(0o644)
    words = crash.report(KeyError("n1"))

    assert ("KeyError: 'n1'" in words, str(path) in words) == (True, True)
    assert ("KeyError" in path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == (True, 0o600)


async def _press(app: SchedlabApp, key: str) -> None:
    async with app.run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()


async def test_an_error_in_a_handler_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crash, "folder", lambda: tmp_path)

    class Broken(FakeSession):
        """Cannot make a step."""

        async def step(self, unit: str) -> None:
            raise ZeroDivisionError("oops")

    app = SchedlabApp(Broken(), ascii_only=True)
    with pytest.raises(ZeroDivisionError):
        await _press(app, "t")
    printed = "".join(capsys.readouterr())

    assert (app.return_code, "Traceback" in printed, (tmp_path / "crash.txt").exists()) == (1, False, True)


async def test_a_page_opened_as_the_program_ends_is_no_mistake() -> None:
    """It gets no widgets any more, and the program ends as it was asked to."""
    app = SchedlabApp(FakeSession())
    async with app.run_test():
        app.exit(return_code=143)
        page = PageScreen("x", "y")
        page.compose = lambda: ()  # type: ignore[method-assign]  # as textual leaves it then
        _ = app.push_screen(page)

    assert app.return_code == 143
