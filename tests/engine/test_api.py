"""The Python API that is promised."""

import doctest
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import api
from engine.errors import ConfigError, RefusedError
from engine.scenario import Scenario
from tests.test_architecture import ROOT

STUCK = "pattern-am-only"
"""Four masters fill two nodes."""
RECEIVERS = ROOT / "tests" / "cases" / "why" / "receivers-of-a-stream" / "day.toml"


def test_the_examples_of_the_manual_hold() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python-api.md"), module_relative=False)

    assert (failed, tried > 10) == (0, True)


def test_a_scenario_is_a_value_a_name_or_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'extends = "{STUCK}"\nname = "{STUCK}"\n', encoding="utf-8")

    sources: list[str | Path | Scenario] = [STUCK, path, api.load(STUCK)]

    assert len({api.at(source, "+1m").snapshot.applications()[0].number for source in sources}) == 1
    assert [api.at(source, 60).time_ms for source in sources] == [api.at(STUCK, "+1m").time_ms] * 3


def test_an_answer_about_one_application_names_it_alone() -> None:
    """What helps is for the one that is asked about; a moment is asked as often as one likes."""
    moment = api.at(STUCK, "+2m")

    assert [each[-4:] for each in api.fix(moment, "2").targets] == ["0002"]
    assert len(api.fix(moment).targets) == 4
    assert api.why(moment, "2") == api.why(moment, "2")


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: api.load("no-such"), ConfigError, "no-such"),
        (lambda: api.at(STUCK, "-1s"), ConfigError, "time"),
        (lambda: api.run(STUCK, until="soon"), ConfigError, "until"),
        (lambda: api.compare(STUCK), ConfigError, "0 are no others to compare with"),
        (lambda: api.compare(STUCK, *["fifo"] * 6), ConfigError, "6 are no others to compare with"),
        (lambda: api.compare(STUCK, "fairer"), ConfigError, "there is no policy fairer"),
        (lambda: api.why(api.at(STUCK, 60), "9"), RefusedError, "no application, or more than one, matches 9"),
        (lambda: api.fix(api.at(f"{STUCK}-twin", "+5m"), "1"), RefusedError, "is not waiting at that instant"),
        (lambda: api.fix(api.at(RECEIVERS, "+5m"), "1"), RefusedError, "at that instant: 10 tasks that never end have"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_engine(
    ask: Callable[[], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        ask()


def test_a_driver_without_a_worker_is_counted_among_those_that_wait() -> None:
    header = api.at(RECEIVERS.parents[2] / "fix" / "driver-submitted" / "day.toml", "+10m").snapshot.header

    assert (header.applications_running, header.applications_pending) == (1, 1)
