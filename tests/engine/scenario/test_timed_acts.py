"""Acts with their instants: names that are looked up, and what a file leaves out."""

import pytest
from pydantic import ValidationError

from engine.scenario import ScriptedSpec, acts
from engine.scenario.acts import Finders, fields_of, resolved

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
    assert resolved(given, FINDERS) == found


def test_an_application_is_its_type_and_what_differs_from_the_defaults() -> None:
    """So that a file reads as it was written; the act gives the whole model back."""
    spec = ScriptedSpec(type="scripted", user="u", queue="a", at_ms=0, waits=True)
    act = acts.SubmitApplication.of(spec)

    assert fields_of(spec) == act.application == {"type": "scripted", "user": "u", "queue": "a", "waits": True}
    assert act.spec() == spec
    with pytest.raises(ValidationError):
        acts.SubmitApplication({"type": "scripted"}).spec()
