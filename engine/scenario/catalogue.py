"""Describes the packaged scenarios where one is chosen: groups, what to watch and try, how their runs went."""

from typing import Final

import msgspec

BUCKETS: Final = 240  # Into how many stretches of equal length a run is divided


class Variant(msgspec.Struct, frozen=True):
    name: str
    brief: str  # What comes of it, in few words


class CatalogueEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    brief: str  # What it shows, in few words
    tag: str = ""  # Whose rules it shows
    story: str = ""  # What happens; empty takes the scenario's own text
    watch: tuple[str, ...] = ()  # What to look at, a line each
    attempts: tuple[str, ...] = msgspec.field(default=(), name="try")  # What to do, a line each
    variants: tuple[Variant, ...] = ()


class CatalogueGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    entries: tuple[CatalogueEntry, ...] = ()


class NodePicture(msgspec.Struct, frozen=True):
    host: str
    capacity: int  # MB; on Spark cores; on MapReduce 1 slots of both kinds
    is_reserved: bool
    blocks: tuple[tuple[str, int, int], ...]
    """(queue, application, amount) of each container or executor, in that order."""


class Preview(msgspec.Struct, frozen=True):
    """The results of playing a scenario once; instants are ms after the start."""

    digest: str  # `Scenario.digest` of what was played
    applications: int
    nodes: int
    queues: int  # Leaf queues
    allocated: tuple[int, ...]  # Containers or executors given in each of `BUCKETS` stretches of the run
    frozen: tuple[tuple[int, int], ...] = ()  # From when to when nothing could be given any more, as was proved
    acts: tuple[tuple[int, str], ...] = ()  # Acts of the operator: when, and what was done
    pictured_ms: int = 0  # When `pictures` were taken
    pictures: tuple[NodePicture, ...] = ()  # A few nodes in the middle of a freeze, or when most was in use
