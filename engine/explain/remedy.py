"""What an operator could do about a wait, as values, and doing it to a copy."""

from typing import Final, NamedTuple

from engine.simulation.actions import KillApplication, SetReservationRule
from engine.simulation.node_heartbeats import wake_rounds_if_changed
from engine.simulation.simulation import Simulation

KILLS: Final = 24
"""How many applications are tried, those that hold and reserve most first."""


class Remedy(NamedTuple):
    """One thing an operator could do."""

    kind: str
    """`kill`, `unreserve` or `rule-off`."""
    application: int = 0
    node: str = ""

    @property
    def sentence(self) -> str:
        """In words."""
        if self.kind == "kill":
            return f"kill application {self.application}"
        return f"drop the reservation of {self.node}" if self.kind == "unreserve" else "switch the reservation rule off"


class Rescue(NamedTuple):
    """Until when a remedy would have prevented it."""

    sentence: str
    remedy: Remedy
    latest_ms: int
    """The latest instant at which it still prevented it [epoch ms], at most that at which it formed."""
    still_helps: bool
    """Whether it would end it at the instant it formed and after."""


class PointOfNoReturn(NamedTuple):
    """The way back that there was."""

    formed_ms: int
    inevitable_ms: int
    """The first instant whose closed world ends in it [epoch ms]."""
    latest_ms: int | None
    """The point of no return: the latest instant at which the best single remedy prevented it; None: none ever did."""
    rescues: tuple[Rescue, ...]
    """What would have helped, the one that helped longest first."""


def apply_remedy(simulation: Simulation, remedy: Remedy) -> None:
    """Do to a copy what a remedy says."""
    if remedy.kind == "kill":
        simulation.act(KillApplication(remedy.application))
    elif remedy.kind == "rule-off":
        simulation.act(SetReservationRule("off"))
    else:
        simulation.control_plane.view().drop_reservation(remedy.node)
        wake_rounds_if_changed(simulation.world)
