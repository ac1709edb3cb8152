"""`schedlab size`: what is searched, what is refused, and with which code it ends; nothing is played."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.sweep import Sizing, SweepSpec
from tests.tui.small_run import SMALL
from tui.commands import size as command
from tui.render.size_page import SizeView


class Searched:
    """What would be searched; its answer is a size, or none."""

    def __init__(self, patch: pytest.MonkeyPatch, answer: int | None = 3, signal: int = 0) -> None:
        self.specs: list[SweepSpec] = []
        self.strained: list[bool] = []
        self._answer = answer
        patch.setattr(command, "SizeSearch", self.search)
        patch.setattr(command, "listening", lambda: self)
        self.signal = signal

    def __enter__(self) -> "Searched":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def came(self) -> bool:
        """Whether a signal came."""
        return bool(self.signal)

    def search(self, spec: SweepSpec, place: object, store: object, *, is_strained: bool) -> Any:
        """Take note."""
        self.specs.append(spec)
        self.strained.append(is_strained)
        (limit,) = spec.limits
        sizing = Sizing(spec.axes[0].key, (), self._answer, len(spec.seeds))
        view = SizeView(spec.name, limit.goal, limit.text, limit.value, sizing, {}, "", is_running=False)
        view = view._replace(is_stopped=bool(self.signal))
        return SimpleNamespace(answer=lambda is_stopped, shown: view)


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A scenario of two nodes with seed 4."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    done = CliRunner().invoke(command.app, list(arguments))
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(("answer", "signal", "code"), [(3, 0, 0), (None, 0, 1), (3, 2, 130), (None, 15, 143)])
def test_it_ends_with_what_came_of_it(
    answer: int | None, signal: int, code: int, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 where even the largest does not keep the goal; a signal by its number."""
    _ = Searched(monkeypatch, answer, signal)

    assert run(small, "--wait", "p95 < 5m")[0] == code


def test_nodes_are_searched_up_to_four_times_as_many(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With three seeds from the scenario's on, also under strain."""
    searched = Searched(monkeypatch)
    _ = run(small, "--wait", "p95 < 5m")
    [spec] = searched.specs

    assert [(axis.key, axis.values) for axis in spec.axes] == [("nodes", ("1", "8"))]
    assert (spec.seeds, spec.until_ms, spec.is_sizing, spec.name) == ((4, 5, 6), None, True, "small")
    assert [limit.text for limit in spec.limits] == ["p95_wait < 5m"]
    assert searched.strained == [True]


def test_a_range_seeds_and_an_end_may_be_named(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any key."""
    searched = Searched(monkeypatch)
    vary = "cluster.heartbeat_ms=100..900"
    _ = run(small, "--wait", "p95 < 5m", "--vary", vary, "--seeds", "1", "--until-seconds", "60", "--plain")
    [spec] = searched.specs

    assert [(axis.key, axis.values) for axis in spec.axes] == [("cluster.heartbeat_ms", ("100", "900"))]
    assert (spec.seeds, spec.until_ms, searched.strained) == ((4,), 60_000, [False])


def test_the_answer_may_be_json(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the goal, and what else it takes."""
    _ = Searched(monkeypatch)
    document = json.loads(run(small, "--wait", "p95 < 5m", "--json")[1])

    assert (document["answer"], document["goal"], document["others"]) == (3, "p95_wait < 5m", {})


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ((), "--wait: name one goal (--wait 'p95 < 5m')"),
        (("--wait", "p95 < 5m", "--goal", "p95_wait < 5m"), "--wait: name one goal (--wait 'p95 < 5m')"),
        (("--wait", "p95 < 5m", "--vary", "policy=fifo,fair-2.7"), "is not FROM..TO in whole numbers"),
        (("--wait", "soon"), "--wait"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    arguments: tuple[str, ...], refused: str, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is."""
    searched = Searched(monkeypatch)
    code, _, err = run(small, *arguments)

    assert (code, refused in err, searched.specs) == (2, True, [])


def test_without_a_name_there_is_nothing_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a search goes on."""
    _ = Searched(monkeypatch)

    assert run("--wait", "p95 < 5m")[2] == "schedlab: NAME: name what is played, or --resume FILE\n"
