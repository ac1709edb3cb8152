"""Acts with their instants: names that are looked up, and what a file leaves out."""

from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.scenario import ScriptedSpec, TimedAct, acts
from engine.scenario.act_fields import fields_of
from engine.scenario.timed_acts import Finders, OneOf, Timed, resolved, timed, written, written_act

FINDERS: Finders = {"application": lambda name: {"etl": 7}[name], "node": lambda host: f"{host}:8041"}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (acts.KillApplication("etl"), acts.KillApplication(7)),
        (acts.KillApplication(3), acts.KillApplication(3)),
        (acts.MoveApplication("etl", "b"), acts.MoveApplication(7, "b")),
        (acts.DrainNode("n1"), acts.DrainNode("n1:8041")),
        (acts.ResizeNode("n1", 5, 2), acts.ResizeNode("n1:8041", 5, 2)),
        (acts.LoseMaster("etl"), acts.LoseMaster("etl")),
    ],
)
def test_names_are_looked_up_where_there_is_a_finder(given: acts.Act, found: acts.Act) -> None:
    """A number is no name; what is not named is kept."""
    assert resolved(given, FINDERS) == found


def test_an_act_without_names_is_itself() -> None:
    """Nothing is made anew."""
    act = acts.LoseResourceManager()
    assert resolved(act, FINDERS) is act


def test_a_container_is_written_as_its_numbers() -> None:
    """A text stays as it is."""
    assert written_act(acts.KillContainer((12, 1, 3))) == {"do": "kill-container", "container": "12_1_3"}
    assert written_act(acts.KillContainer("c_3")) == {"do": "kill-container", "container": "c_3"}


def test_a_file_leaves_defaults_and_instants_out() -> None:
    """And the unit of memory."""
    assert written(timed(acts.RestartNodeManager("n1"), 5)) == {"do": "node_manager_restart", "node": "n1"}
    assert written(timed(acts.ResizeNode("n1", 5, 2))) == {"do": "resize", "node": "n1", "memory": 5, "vcores": 2}


def test_an_act_happens_at_the_start_unless_told() -> None:
    """Or so many ms after it, never before it."""
    assert timed(acts.LoseResourceManager()).at_ms == 0
    assert timed(acts.LoseResourceManager(), 3).at_ms == 3
    with pytest.raises(ValidationError):
        Timed(at_ms=-1)


def test_an_application_is_its_type_and_what_differs_from_the_defaults() -> None:
    """So that a file reads as it was written; the act gives the whole model back."""
    spec = ScriptedSpec(type="scripted", user="u", queue="a", at_ms=0, waits=True)
    act = acts.SubmitApplication.of(spec)

    assert fields_of(spec) == act.application == {"type": "scripted", "user": "u", "queue": "a", "waits": True}
    assert act.spec() == spec
    with pytest.raises(ValidationError):
        acts.SubmitApplication({"type": "scripted"}).spec()


def test_a_list_takes_only_the_acts_it_is_for() -> None:
    """`do` tells which."""
    kinds = OneOf((acts.LoseNode, acts.ReturnNode))
    read: TypeAdapter[TimedAct] = TypeAdapter(Annotated[TimedAct, kinds])
    assert read.validate_python({"at": 1, "do": "return", "node": "n"}).act == acts.ReturnNode("n")
    with pytest.raises(ValidationError, match="'lose', 'return'"):
        read.validate_python({"at": 1, "do": "drain", "node": "n"})
