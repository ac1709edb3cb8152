"""What is written of the program is what the program says, and every page of the manual is where it is said to be."""

import re
from pathlib import Path

import pytest

from tests.manual.pages import WRITTEN
from tests.test_architecture import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


@pytest.mark.parametrize("path", WRITTEN)
def test_a_written_page_is_current(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == WRITTEN[path]()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_pictures_of_a_page_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'(?:src|href)="([^"]+)"', text)]
    lost = [link for link in links if "://" not in link and not _leads_somewhere(page, link)]

    assert lost == []


def _leads_somewhere(page: Path, link: str) -> bool:
    name, _, heading = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not heading or heading in _headings(target))


def _headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}
