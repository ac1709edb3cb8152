"""What the shell is offered for options, of the scenario that was named before."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tui.commands import runs as runs_command
from tui.commands.arguments import (
    application_names,
    instants,
    node_names,
    queue_names,
    scheduler_names,
    setting_names,
)
from tui.commands.attach import shared_sessions
from tui.sharing.meeting_place import open_door

SCENE = """
start = 2024-03-04T09:00:00Z
duration = "26h"
[cluster]
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8 }]
[[queues]]
name = "a.b"
[[workload]]
type = "service"
name = "web"
user = "ann"
queue = "root.a.b"
number = 12
instances = 1
instance = { memory = "1g" }
at = 5
[[workload]]
type = "service"
name = "twice"
user = "ann"
instances = 1
instance = { memory = "1g" }
repeat = { times = 2, every = 5 }
[[workload]]
type = "service"
name = "two words"
user = "ann"
number = 3
instances = 1
instance = { memory = "1g" }
[[script]]
at = "9m"
do = "preemption"
on = true
[[script]]
at = "24h"
do = "preemption"
on = false
[[faults]]
at = "30s"
do = "lose"
node = "n1"
"""


@pytest.fixture
def named(tmp_path: Path) -> typer.Context:
    """A command line on which the scenario stands."""
    path = tmp_path / "x.toml"
    path.write_text(SCENE)
    context = typer.Context(typer.main.get_command(runs_command.app))
    context.params["name"] = str(path)
    return context


@pytest.fixture
def wrong(tmp_path: Path) -> typer.Context:
    """One with a scenario that is not there, among what is left of it."""
    context = typer.Context(typer.main.get_command(runs_command.app))
    context.args = [str(tmp_path / "none.toml")]
    return context


def test_queues_are_offered_with_and_without_root(named: typer.Context) -> None:
    """Those that begin so, paths first."""
    assert queue_names(named, "root.a") == ["root.a", "root.a.b"]
    assert queue_names(named, "a") == ["a", "a.b"]
    assert queue_names(named, "")[:1] == ["root"]


def test_applications_are_offered_by_number_and_by_a_name_of_their_own(named: typer.Context) -> None:
    """A name of two words, or of two applications, tells none."""
    assert application_names(named, "") == ["3", "12", "web"]
    assert application_names(named, "1") == ["12"]
    assert application_names(named, "w") == ["web"]


def test_nodes_are_offered_by_host(named: typer.Context) -> None:
    """Those that begin so."""
    assert (node_names(named, ""), node_names(named, "n2"), node_names(named, "x")) == (["n1", "n2"], ["n2"], [])


def test_instants_of_the_first_day_are_offered_in_order(named: typer.Context) -> None:
    """Start, faults, acts; a later one needs a date."""
    assert instants(named, "") == ["09:00:00", "09:00:30", "09:09:00"]
    assert instants(named, "09:09") == ["09:09:00"]


def test_nothing_is_offered_of_what_cannot_be_read(wrong: typer.Context) -> None:
    """A shell gets no message in the middle of a line."""
    for offered in (queue_names, application_names, node_names, instants):
        assert offered(wrong, "") == []


def test_without_a_name_before_nothing_is_offered() -> None:
    """Nor is anything raised."""
    context = typer.Context(typer.main.get_command(runs_command.app))

    assert (queue_names(context, ""), instants(context, "")) == ([], [])


def test_the_scenario_is_found_among_what_is_left(named: typer.Context) -> None:
    """An option without a value yet leaves it there."""
    context = typer.Context(typer.main.get_command(runs_command.app))
    context.args = [named.params["name"], "other"]

    assert node_names(context, "n1") == ["n1"]


def test_schedulers_are_offered() -> None:
    """Of a scenario."""
    assert scheduler_names("capacity-") == ["capacity-2.7", "capacity-3.4"]
    assert "fifo" in scheduler_names("")


def test_settings_are_offered_with_their_sign() -> None:
    """In order, of every scheduler; queues of CapacityScheduler have names of their own."""
    every = setting_names("")

    assert setting_names("yarn.scheduler.fair.preemption")[0] == "yarn.scheduler.fair.preemption="
    assert every == sorted(every, key=lambda name: name.removesuffix("="))
    assert all(name.endswith("=") for name in every)
    assert [name for name in every if name.startswith("spark.")] != []
    assert setting_names("no.such") == []


def test_shared_sessions_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that begin so."""
    monkeypatch.setattr("tui.commands.attach.default_folder", lambda: tmp_path / "run")
    doors = [open_door(tmp_path / "run", name) for name in ("one", "other", "two")]
    found = (shared_sessions("o"), shared_sessions("tw"), shared_sessions("x"))
    for door in doors:
        door.close()

    assert found == (["one", "other"], ["two"], [])


def test_seats_of_no_shared_drill_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is empty, and that is no mistake."""
    from tui.commands.instruct import app  # noqa: PLC0415 -- it loads textual

    monkeypatch.setattr("tui.commands.instruct.default_folder", lambda: tmp_path / "run")
    done = CliRunner().invoke(app, ["--list"])

    assert (done.exit_code, done.output) == (0, "")
