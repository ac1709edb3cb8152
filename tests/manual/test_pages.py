"""What is written of the program is what the program says, and every page of the manual is where it is said to be."""

import html
import re
from pathlib import Path
from typing import Final

import pytest

from engine.formats.scenario_overrides import parse
from engine.formats.scenario_toml import loads
from engine.run import play
from engine.settings.known import readers
from engine.training.drill import drill_of
from engine.training.drill_check import check_drill
from engine.training.exercise import DrillStage
from engine.training.score import ScoreBaselines
from tests.manual.numbers import untold
from tests.manual.pages import WRITTEN
from tests.manual.pictures import PICTURES, PLACE
from tests.manual.shown import PAGES as PICTURE_PAGES
from tests.manual.shown import PAGES as SCENARIO_PAGES
from tests.manual.shown import Block, blocks
from tests.test_architecture import ROOT
from tui.cli.options import OPTIONS

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


# The front page: short, with a picture and a command for each situation.

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SITUATIONS = re.findall(r"<td[^>]*>(.*?)</td>", TEXT, flags=re.DOTALL)


def test_there_are_six_situations_each_with_a_picture_and_a_command() -> None:
    counts = [(each.count("<img "), each.count("<b>"), each.count("<code>schedlab ")) for each in SITUATIONS]

    assert counts == [(1, 1, 1)] * 6


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 80


@pytest.mark.parametrize("target", re.findall(r"^make ([\w-]+)", TEXT, flags=re.MULTILINE))
def test_the_makefile_has_each_target(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)


# The pictures of the manual are those that `make pictures` draws.

STEADY = ("frozen", "drill", "architecture")
"""Pictures that are the same whenever they are drawn, and are drawn quickly."""


def test_every_picture_is_drawn_by_the_program_and_shown_on_a_page() -> None:
    shown = {
        name
        for page in PICTURE_PAGES
        for name in re.findall(r"pictures/([\w-]+)\.svg", page.read_text(encoding="utf-8"))
    }

    assert shown == {path.stem for path in PLACE.iterdir()} == set(PICTURES)


@pytest.mark.long
@pytest.mark.parametrize("name", STEADY)
def test_a_picture_is_current(name: str) -> None:
    assert (PLACE / f"{name}.svg").read_text(encoding="utf-8") == PICTURES[name]()


# The scenarios that the manual shows are played, and keep what they promise.

WHOLE = [block for page in SCENARIO_PAGES for block in blocks(page, "toml") if "[cluster]" in block.text]
SCENARIOS = [block for block in WHOLE if "[drill]" not in block.text]
DRILLS = [block for block in WHOLE if "[drill]" in block.text]


@pytest.mark.parametrize("block", SCENARIOS, ids=lambda block: block.place)
def test_a_scenario_that_is_shown_does_what_is_said_of_it(block: Block) -> None:
    outcome = play(loads(block.text))

    assert outcome.results
    assert [f"{one.expectation.about}: {one.sentence}" for one in outcome.failed] == []


@pytest.mark.parametrize("block", DRILLS, ids=lambda block: block.place)
def test_a_drill_that_is_shown_is_a_good_one(block: Block) -> None:
    drill = drill_of(parse(block.text, "queue"))

    assert [line.what for line in check_drill(ScoreBaselines(DrillStage(drill))) if not line.ok] == []


FOREIGN: Final = {
    *("mapred.skip.mode", "spark.cleaner.periodicGC.interval", "spark.locality.wait"),
    *("yarn.nodemanager.sleep-delay-before-sigkill.ms", "spark.cores.max"),
    *("spark.executor.cores", "spark.executor.memory"),
}
"""Keys that pages name and no scheduler here reads: their own say so, or they are an application's."""
OF_OTHERS: Final = {"version", "licences", "completion", "no-deps", "host", "port", "nthreads", "nworkers"}
"""Options of the program itself, of pip and of dask."""
KEY: Final = re.compile(r"`((?:yarn|schedlab|spark|mapreduce|mapred|tez)\.[\w.-]+\w)(?:=[^`]*)?`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_keys_and_options_of_a_page_are_those_of_the_program(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    keys = {key for key in KEY.findall(text) if not readers(key)}
    options = {*re.findall(r"(?<![\w-])--([a-z][a-z-]+)", text)} - {*OPTIONS}

    assert (keys - FOREIGN, options - OF_OTHERS) == (set(), set())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_numbers_in_the_words_of_a_picture_stand_in_it(page: Path) -> None:
    for words, link in re.findall(r"!\[([^\]]*)\]\(([^)]*\.svg)\)", page.read_text(encoding="utf-8")):
        drawn = html.unescape((page.parent / link).read_text(encoding="utf-8"))
        shown = {*re.findall(r"\d+", re.sub(r"<[^>]+>", " ", drawn))}
        assert {*re.findall(r"\b\d+\b", words)} <= shown, (link, words)


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md"],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_numbers_of_a_page_are_those_of_the_program(page: Path) -> None:
    assert list(untold(page)) == []
