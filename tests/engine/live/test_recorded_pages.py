"""One page of every kind that real servers of both releases and a Spark Master answered, read as a watch reads them."""

import json
from pathlib import Path

import pytest

from tests.engine.live.recorded import FOLDER, lines_of
from tests.gates.answers.__main__ import check
from tests.gates.answers.reading import NOT_ASKED, READ, REFUSED, WRONG, outcome

PAGES = list(lines_of("pages"))


@pytest.mark.parametrize("found", [READ, REFUSED])
def test_every_page_is_read_or_refused_as_it_should_be(found: str) -> None:
    """An answer is a value; an error, XML and HTML are refused in words."""
    pages = [page for page in PAGES if page["outcome"] == found]
    outcomes = {page["name"]: outcome(page["name"], page["text"].encode(), page["status"]) for page in pages}

    assert len(pages) > 40
    assert {name: words for name, (came, words) in outcomes.items() if came != found} == {}
    assert [name for name, (_, words) in outcomes.items() if found == REFUSED and not words] == []


def test_an_answer_that_is_damaged_and_an_error_that_is_read_are_mistakes() -> None:
    page = next(page for page in PAGES if page["name"].endswith("ws_v1_cluster_metrics.json"))
    damaged = outcome(page["name"], page["text"].encode()[:-1])
    taken = outcome(page["name"], page["text"].encode(), 500)

    assert (damaged[0], taken) == (WRONG, (WRONG, "an error was read as an answer"))


def test_series_and_logs_are_read_line_by_line(tmp_path: Path) -> None:
    """Of a folder as it was recorded; what no server answered is passed over."""
    series = (FOLDER / "2.7.2-fair-onset.jsonl.gz").read_bytes()
    (tmp_path / "series-onset.jsonl.gz").write_bytes(series)
    (tmp_path / "rm-info.log.gz").write_bytes((FOLDER / "2.7.2-fair-rm.log.gz").read_bytes())
    (tmp_path / "index.json").write_text(json.dumps([{"file": None}]), encoding="utf-8")

    assert outcome("series-onset.jsonl.gz", series) == (READ, "36 rounds, 0 without an answer")
    assert check(tmp_path) == {READ: 2, NOT_ASKED: 1}
