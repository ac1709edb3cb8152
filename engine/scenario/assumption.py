"""An assumption of a scenario that stands as a cluster stood: what nobody knows of the cluster, and what is played."""

from typing import Literal

from pydantic import Field

from engine.scenario.parts import Part, Size


class Assumption(Part):
    """One thing that is not known, and what is taken for it."""

    what: Literal[
        "arrivals",
        "asks",
        "durations",
        "holders",
        "places",
        "queues",
        "release",
        "remaining",
        "reservations",
        "rhythm",
        "settings",
        "sizes",
    ]
    """`remaining` is how long containers run of which nothing tells, `durations` where something does; `sizes` is how
    large the containers are for which nodes are reserved, `holders` for whom."""
    sentence: str
    applications: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Ids of those it is about; empty for the cluster."""
    least: Size | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `sizes`: what is played, the least that is possible."""
    most: Size | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `sizes`: the most that is possible."""
