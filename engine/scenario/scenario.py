"""The scenario as a whole."""

import hashlib
import json
import operator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, ValidationInfo, WithJsonSchema, field_validator

from engine.instants import EPOCH
from engine.scenario.applications import ApplicationSpec
from engine.scenario.cluster import ClusterSpec
from engine.scenario.expectations import Expectation
from engine.scenario.parts import InstantMs, JavaInt, Part
from engine.scenario.queues import QueueSpec, allocations_xml
from engine.scenario.recovered import Assumption, RecoveredSpec
from engine.scenario.running import RunningSpec
from engine.scenario.timed_acts import ScriptedAct, ScriptedFault

_DOTTED: Final = WithJsonSchema({"type": "object"})
"""A file may write dotted keys as tables within tables, and values of any plain type."""


def family_of(policy: str) -> str:
    """The family of a policy: `fair`, `capacity`, `fifo`, `spark`, or `mr1` for every scheduler of a JobTracker.

    >>> family_of("capacity-3.4"), family_of("mr1-fair"), family_of("fifo-3.4")
    ('capacity', 'mr1', 'fifo')
    """
    return policy.partition("-")[0]


def system_of(policy: str) -> str:
    """The system that has a policy: `yarn`, `spark` or `mr1`, as snapshots and views call it, too.

    >>> system_of("capacity-3.4"), system_of("mr1-fair"), system_of("spark")
    ('yarn', 'mr1', 'spark')
    """
    family = family_of(policy)
    return family if family in {"spark", "mr1"} else "yarn"


class Scenario(Part):
    """A cluster, its scheduler, what users submit, what fails, what an operator does, and what is expected.

    Instants count from `start`; the engine's own time is epoch ms (`start_ms` + instant).
    """

    name: str = ""
    """Its short name; the file's name without suffix when not given."""
    title: str = ""
    """One line that names what it shows."""
    about: str = ""
    """What it shows and what to look at; the file's leading comment when not given."""
    start: AwareDatetime = datetime(2024, 1, 1, tzinfo=UTC)
    """Date and time of the beginning, with its zone."""
    seed: int = 0
    """Seed of everything random: heartbeat phases, durations, places of blocks."""
    duration_ms: InstantMs = Field(default=3_600_000, gt=0)
    """When a run ends where no other end is given; `"14:30"`, `"2h"` or seconds in a file."""
    scheduler: Literal[
        "fifo",
        "fifo-3.4",
        "capacity-2.7",
        "capacity-3.4",
        "fair-2.7",
        "fair-3.4",
        "spark",
        "mr1-fifo",
        "mr1-fair",
        "mr1-capacity",
    ] = "fair-2.7"
    """Policy and release."""
    settings: Annotated[dict[str, str], _DOTTED] = Field(default={})
    """Hadoop keys (yarn-site.xml) and our own switch (`schedlab.reservation.rule`) to their values."""
    allocations: str | None = None
    """Text of a fair-scheduler.xml; not together with `queues`."""
    queues: tuple[QueueSpec, ...] = ()
    """The queues where there is no allocation file."""
    queue_defaults: Annotated[dict[str, str], _DOTTED] = Field(default={})
    """Top-level elements of the allocation file beside `queues`, e.g. `queueMaxAMShareDefault`."""
    cluster: ClusterSpec
    """Nodes and rhythms."""
    groups: dict[str, tuple[str, ...]] = Field(default={})
    """Groups of each user, the primary one first."""
    cluster_timestamp: int | None = Field(default=None, ge=0, lt=2**63)
    """The number in every id, epoch ms; without it the scenario's start."""
    first_application: JavaInt = Field(default=1, ge=1)
    """Number of the first application that has none of its own."""
    running: tuple[RunningSpec, ...] = ()
    """Applications that run at the start."""
    recovered: tuple[RecoveredSpec, ...] = Field(default=(), exclude_if=operator.not_)
    """Applications taken over as they stand, in order of submission."""
    assumed: tuple[Assumption, ...] = Field(default=(), exclude_if=operator.not_)
    """What is not known of the cluster that it was made of, and what is played; answers that hang on it say so."""
    workload: tuple[ApplicationSpec, ...] = ()
    """Applications that users submit."""
    faults: tuple[ScriptedFault, ...] = ()
    """Acts that happen by themselves."""
    script: tuple[ScriptedAct, ...] = ()
    """Acts of an operator."""
    expectations: tuple[Expectation, ...] = ()
    """Predicates that a run is judged by."""

    @field_validator("settings", "queue_defaults", mode="before")
    @classmethod
    def _plain_texts(cls, value: object) -> object:
        """Nested tables become dotted keys; numbers and truth values become Hadoop's texts."""
        return flat_settings(value) if isinstance(value, dict) else value

    @field_validator("queues")
    @classmethod
    def _one_source(cls, value: tuple[QueueSpec, ...], info: ValidationInfo) -> tuple[QueueSpec, ...]:
        if value and info.data.get("allocations") is not None:
            raise ValueError("queues are given twice: as an allocation file and here")
        return value

    @field_validator("start")
    @classmethod
    def _start_is_within_the_calendar(cls, value: datetime) -> datetime:
        """Instants are counted from 1970, and a century later there must still be a calendar."""
        if not 1970 <= value.year < 2200:
            raise ValueError("is not between 1970 and 2199")
        return value

    @property
    def start_ms(self) -> int:
        """The start as epoch ms."""
        return (self.start - EPOCH) // timedelta(milliseconds=1)

    @property
    def timestamp(self) -> int:
        """The cluster timestamp in ids."""
        return self.start_ms if self.cluster_timestamp is None else self.cluster_timestamp

    @property
    def era(self) -> str:
        """The era of Hadoop whose reading of files holds: `3.4` or `2.7`."""
        return "3.4" if self.scheduler.endswith("-3.4") else "2.7"

    def allocations_xml(self) -> str | None:
        """The fair-scheduler.xml of this scenario; None when it gives no queues at all."""
        if self.allocations is not None:
            return self.allocations
        return allocations_xml(self.queues, self.queue_defaults) if self.queues or self.queue_defaults else None

    @property
    def family(self) -> str:
        """The family of its scheduler."""
        return family_of(self.scheduler)

    @property
    def system(self) -> str:
        """The system whose control plane it runs."""
        return system_of(self.scheduler)

    @property
    def offset_ms(self) -> int:
        """Return how far east of Greenwich its clock is [ms]."""
        offset = self.start.utcoffset()
        return 0 if offset is None else int(offset.total_seconds() * 1000)

    def digest(self) -> str:
        """A hash of everything that can change what happens; the same in every process."""
        data = self.model_dump(mode="json", exclude={"name", "title", "about", "assumed", "expectations"})
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def flat_settings(table: dict[str, object]) -> dict[str, object]:
    """Nested tables as one with dotted keys, numbers and truth values as Hadoop's texts.

    >>> flat_settings({"yarn": {"acl.enable": True}, "a.b": 3})
    {'yarn.acl.enable': 'true', 'a.b': '3'}
    """
    return dict(_flat(table, ""))


def _flat(table: dict[str, object], prefix: str) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            pairs += _flat(value, f"{prefix}{key}.")
        elif isinstance(value, bool):
            pairs.append((prefix + key, str(value).lower()))
        elif isinstance(value, int | float):
            pairs.append((prefix + key, str(value)))
        else:
            pairs.append((prefix + key, value))
    return pairs
