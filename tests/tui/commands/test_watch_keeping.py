"""What `schedlab watch --keep` keeps, for how long, and what it says of it."""

from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.live.alarm_rules import parse_rules
from engine.live.watched import Watched
from engine.recorded.kept_polls import polls_info
from tests.engine.recorded.polls import polled
from tui.commands.watch import kept_polls


def kept(place: Path, **given: Any) -> Any:
    flags = {"is_kept": False, "kept_as": None, "keep_for": None, "place": place}
    return kept_polls(lambda: "rm1:8088", 3_600_000, **{**flags, **given})


@pytest.mark.parametrize(
    ("given", "name", "lasts_ms"),
    [
        ({"is_kept": True}, "rm1-8088-1", 7 * 86_400_000),
        ({"kept_as": "mine"}, "mine", 7 * 86_400_000),
        ({"keep_for": "60s"}, "rm1-8088-1", 60_000),
    ],
)
def test_each_flag_has_polls_kept(
    given: dict[str, Any], name: str, lasts_ms: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with kept(tmp_path, **given) as keeping:
        watched = Watched(parse_rules([]), [keeping])
        snapshot = polled()[0]
        _ = watched.take(snapshot, 0, [])
        assert keeping.keep(snapshot, watched) is False
    begun = polls_info(tmp_path, name).beginning

    assert capsys.readouterr().err == f"kept as {name}\n"
    assert (begun.where, begun.keep_for_ms, begun.offset_ms) == ("rm1:8088", lasts_ms, 3_600_000)


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ("59999ms", "--keep-for: '59999ms' is shorter than a minute (7d)"),
        ("soon", "--keep-for: "),
    ],
)
def test_polls_are_kept_for_a_minute_at_least(words: str, refused: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught, kept(tmp_path, keep_for=words):
        pass
    [problem] = caught.value.problems

    assert str(problem).startswith(refused)
    assert problem.hint == "7d"
