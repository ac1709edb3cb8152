"""`schedlab picture`."""

import io
import re
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from PIL import Image

from tests.invoke import Result, said
from tests.tui.test_cli import SMALL

DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))  # Column and row of each bit of a braille sign


def run(*arguments: str) -> Result:
    return said("", ["picture", *arguments])


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small scenario file in the current folder, and no settings of the user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return "small.toml"


def test_text_has_every_line_of_the_screen_at_the_instant(small: str) -> None:
    """As many lines as asked for, none longer than the screen is wide, nothing but ASCII where that is wished."""
    done = run(small, "--at", "09:00:10", "--size", "90x30", "--pane", "nodes", "--ascii", "-o", "a.txt")
    lines = Path("a.txt").read_text(encoding="utf-8").splitlines()

    assert (done.exit_code, done.stdout) == (0, "")
    assert (len(lines), max(map(len, lines)) <= 90, "".join(lines).isascii()) == (30, True, True)
    assert "09:00:10" in lines[0]
    assert any(line.startswith("+= 3 Nodes") or "3 Nodes" in line for line in lines)


def test_a_page_of_why_is_complete_and_keys_lead_on(small: str) -> None:
    """Nothing on it is still being worked out; a key that closes it leads back."""
    assert run(small, "--at", "10", "--why", "root.default", "-o", "why.txt").exit_code == 0
    assert run(small, "--at", "10", "--why", "root.default", "--press", "escape", "-o", "back.txt").exit_code == 0

    assert "Queues › root.default › why" in Path("why.txt").read_text(encoding="utf-8")
    assert "1 Applications" in Path("back.txt").read_text(encoding="utf-8")


def test_svg_and_html_fetch_nothing_and_hold_the_same_words(small: str) -> None:
    assert run(small, "-o", "a.svg").exit_code == 0
    assert run(small, "-o", "a.html").exit_code == 0
    svg, page = (Path(name).read_text(encoding="utf-8") for name in ("a.svg", "a.html"))
    root: Element = fromstring(svg)

    assert (root.tag.endswith("svg"), root.get("width"), root.get("height")) == (True, "1440", "960")
    assert "small" in svg
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*\"?https?:", svg + page) == []
    assert "<title>small.toml</title>" in page
    assert page.count("<svg") == 1


def test_a_png_has_12_by_24_pixels_a_cell_and_draws_braille(small: str) -> None:
    assert run(small, "--at", "20", "--size", "80x24", "-o", "a.png", "-o", "a.txt").exit_code == 0
    lines = Path("a.txt").read_text(encoding="utf-8").splitlines()
    x, y = next((x, y) for y, line in enumerate(lines) for x, sign in enumerate(line) if "⠀" < sign <= "⣿")
    with Image.open(io.BytesIO(Path("a.png").read_bytes())) as image:
        cell = image.crop((x * 12, y * 24, x * 12 + 12, y * 24 + 24))

        assert image.size == (80 * 12, 24 * 24)
        drawn = [cell.getpixel((3 + 6 * column, 3 + 6 * row)) != cell.getpixel((0, 0)) for column, row in DOTS]
        assert sum(1 << bit for bit, is_drawn in enumerate(drawn) if is_drawn) == ord(lines[y][x]) - ord("⠀")
