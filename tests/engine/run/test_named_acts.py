"""Names in acts mean what the cluster calls so."""

import pytest

from engine.errors import RefusedError
from engine.run.player import finders_in
from engine.scenario import acts
from engine.scenario.acts import resolved
from tests.engine.run.pictures import Picture


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        (acts.KillApplication("112"), acts.KillApplication(112)),
        (acts.KillContainer("container_7_0112_01_000003"), acts.KillContainer((112, 1, 3))),
        (acts.MoveApplication("12", "b"), acts.MoveApplication(12, "b")),
        (acts.SetPriority("12", 4), acts.SetPriority(12, 4)),
        (acts.LoseMaster("112", hangs=True), acts.LoseMaster("112", hangs=True)),
        (acts.LabelNode("n2", "gpu"), acts.LabelNode("n2:8041", "gpu")),
        (acts.DrainNode("n1"), acts.DrainNode("n1:8041")),
        (acts.ReturnNode("n1:8041"), acts.ReturnNode("n1:8041")),
        (acts.ResizeNode("n2", 1, 2), acts.ResizeNode("n2:8041", 1, 2)),
        (acts.SetHealth("n2", healthy=False), acts.SetHealth("n2:8041", healthy=False)),
        (acts.RestartNodeManager("n1", 500), acts.RestartNodeManager("n1:8041", 500)),
        (acts.AddNode("n9:8041", 1024, 2), acts.AddNode("n9:8041", 1024, 2)),
        (acts.KillApplication(7), acts.KillApplication(7)),
        (acts.ReturnNode("n9:8041"), acts.ReturnNode("n9:8041")),
    ],
)
def test_names_become_numbers_and_ids(named: acts.Act, meant: acts.Act) -> None:
    assert resolved(named, finders_in(Picture())) == meant


@pytest.mark.parametrize(
    "named",
    [acts.KillApplication("99"), acts.KillContainer("7_x"), acts.LoseMaster("99")],
)
def test_a_name_that_is_not_there_is_refused(named: acts.Act) -> None:
    with pytest.raises(RefusedError):
        resolved(named, finders_in(Picture()))
