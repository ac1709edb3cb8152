"""Proves that every application of a scenario can start: one of each kind is played alone, until it has ended.

Of a kind are applications of one type and queue whose containers are alike. Alone, with one short container of each
size, an application ends exactly when its master and each of its sizes are allocated some time; so does one that asks
for less of everything, so that mostly the largest are played.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel

from engine.explain.recent_decisions import RecentDecisions
from engine.incremental import Incremental
from engine.model.lifecycle import ENDED_WELL
from engine.run.player import Run
from engine.scenario import ApplicationSpec, MapReduceSpec, NodeSpec, Scenario, ScriptedSpec, SparkSpec, StandaloneSpec

SHORT_MS: Final = (1000, 1000)  # Run time of its containers, least and most [ms]
PATIENCE_MS: Final = 600_000  # Time it is given to end, on a cluster that is otherwise empty [ms]
STEP_MS: Final = 5_000
ALIKE: Final = 8  # Nodes of one size that are enough to begin with
EMPTY: Final[dict[str, object]] = {"script": (), "faults": (), "expectations": (), "running": (), "recovered": ()}

MANY: Final = 1_000
"""Containers after which an application is taken to have begun: what ends at once may begin again for ever."""
BEGINNING_MS: Final = 15_000  # Time in which a master begins, once it may register [ms]


class AlikeApplications(NamedTuple):
    """Applications that ask for the same."""

    sizes: tuple[int, ...]
    """The most they ask for: of the master, of one container, and of all that are to run together."""
    sample: ApplicationSpec
    specs: list[ApplicationSpec]


class NeverStarts(NamedTuple):
    """A kind that cannot start, and the run in which one of it stands alone and waits, or was refused."""

    kind: AlikeApplications
    run: Run


def never_starting(scenario: Scenario) -> Incremental[tuple[NeverStarts, ...]]:
    """The kinds that can never start, the smallest of each type and queue, one play a piece."""
    groups: dict[tuple[str, str | None], dict[tuple[int, ...], AlikeApplications]] = {}
    has_own_limits = scenario.family == "capacity"
    for spec in scenario.workload:
        queue = getattr(spec, "queue", None) if has_own_limits else None
        sizes = _sizes(spec)
        kinds = groups.setdefault((spec.type, queue), {})
        kind = kinds.get(sizes) or kinds.setdefault(sizes, AlikeApplications(sizes, _sample(spec), []))
        kind.specs.append(spec)
    never: list[NeverStarts] = []
    for kinds in groups.values():
        never += yield from _never_of(scenario, list(kinds.values()))
    return tuple(never)


def play_beginnings(scenario: Scenario) -> Incremental[None]:
    """Play the start of one master of each make alone, so that a master that cannot be played is found before a run.

    Masters of one make set the same fields, and leave the same fields empty.
    """
    makes: dict[object, ApplicationSpec] = {}
    for spec in scenario.workload:
        sample = spec.model_copy(update={"at_ms": 0, "repeat": None, "number": None})
        makes.setdefault((spec.type, *sorted(_set_fields(sample))), sample)
    duration_ms = BEGINNING_MS + scenario.cluster.register_delay_ms
    for sample in makes.values():
        _alone(scenario, sample, _few(scenario.cluster.all_nodes()), duration_ms).advance(duration_ms)
        yield


def _set_fields(model: BaseModel, prefix: str = "") -> Iterator[str]:
    for name in model.model_fields_set:
        value = getattr(model, name)
        yield f"{prefix}{name}{'' if value and value != (0, 0) else '!'}"
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, BaseModel):
                yield from _set_fields(part, f"{prefix}{name}.")


def _alone(scenario: Scenario, spec: ApplicationSpec, nodes: Sequence[NodeSpec], duration_ms: int) -> Run:
    cluster = scenario.cluster.model_copy(update={"nodes": tuple(nodes), "groups": ()})
    fields = {**EMPTY, "cluster": cluster, "workload": (spec,), "duration_ms": duration_ms}
    return Run(scenario.model_copy(update=fields))


def _never_of(scenario: Scenario, undecided: list[AlikeApplications]) -> Incremental[list[NeverStarts]]:
    """Play the kinds of one type and queue: the largest first, then one half after the other."""
    never: list[NeverStarts] = []
    place = -1
    undecided.sort(key=lambda kind: kind.sizes)
    while undecided:
        tried = undecided.pop(place)
        run = _played(scenario, tried)
        yield
        if run is None:
            undecided = [each for each in undecided if not _is_within(each, tried)]
        else:
            beyond = [each for each in undecided if _is_within(tried, each)]
            undecided = [each for each in undecided if not _is_within(tried, each)]
            beyond += [each.kind for each in never if _is_within(tried, each.kind)]
            never = [each for each in never if not _is_within(tried, each.kind)]
            tried.specs.extend(spec for each in beyond for spec in each.specs)
            never.append(NeverStarts(tried, run))
        place = len(undecided) // 2
    return never


def _is_within(small: AlikeApplications, large: AlikeApplications) -> bool:
    return all(less <= more for less, more in zip(small.sizes, large.sizes, strict=True))


def _played(scenario: Scenario, kind: AlikeApplications) -> Run | None:
    """The run in which one of a kind does not end; None where it does, on some of the nodes or on all."""
    nodes = scenario.cluster.all_nodes()
    few = _few(nodes)
    run = None
    for tried in (few, nodes) if len(few) < len(nodes) else (nodes,):
        run = _alone(scenario, kind.sample, tried, PATIENCE_MS)
        if _ends(run):
            return None
    return run


def _ends(run: Run) -> bool:
    """Tell whether the only application ends well, or runs on with all it asks for, as a service does."""
    has_all, facts = False, RecentDecisions()
    run.simulation.listeners.append(facts)
    while not run.ended:
        if len(facts.allocated) >= MANY:
            return True
        run.advance(run.now_ms + STEP_MS)
        for row in run.snapshot().applications(why=False):
            if row.finished_ms is not None:
                return row.state in ENDED_WELL
            has_all = row.state == "RUNNING" and row.waiting_since_ms is None
    return has_all


def _few(nodes: Sequence[NodeSpec]) -> Sequence[NodeSpec]:
    taken: dict[tuple[int, int, str], list[NodeSpec]] = {}
    for node in nodes:
        alike = taken.setdefault((node.memory_mb, node.vcores, node.partition), [])
        if len(alike) < ALIKE:
            alike.append(node)
    return [node for alike in taken.values() for node in alike]


def _sample(spec: ApplicationSpec) -> ApplicationSpec:
    fields: dict[str, object] = {"at_ms": 0, "repeat": None, "number": None}
    if isinstance(spec, ScriptedSpec):
        asks = spec.asks if spec.waits else {(ask.memory_mb, ask.vcores): ask for ask in spec.asks}.values()
        short = {"at_ms": 0, "duration_ms": SHORT_MS} | ({} if spec.waits else {"count": 1})
        fields["asks"] = tuple(ask.model_copy(update=short | ({"hosts": ()} if ask.relax else {})) for ask in asks)
        fields |= {"ends_after_ms": None, "outcome": "FINISHED"}
    elif isinstance(spec, MapReduceSpec):
        fields |= {"maps": min(1, spec.maps), "reduces": min(1, spec.reduces), "blocks": ()}
        fields |= {f"{word}_duration_ms": SHORT_MS for word in ("map", "reduce")}
        fields |= {f"{word}_durations_ms": () for word in ("map", "reduce")}
    elif isinstance(spec, SparkSpec):
        fields |= {"executors": 1, "stages": (), "jobs": (), "dynamic": None, "duration_ms": SHORT_MS, "waits": False}
    elif isinstance(spec, StandaloneSpec):
        fields |= {"executor_limit": 1, "stages": spec.stages[:1]}
    return spec.model_copy(update=fields)


def _sizes(spec: ApplicationSpec) -> tuple[int, ...]:
    am = spec.driver if isinstance(spec, StandaloneSpec) else getattr(spec, "am", None)
    if isinstance(spec, ScriptedSpec):
        containers = [(ask.memory_mb, ask.vcores) for ask in spec.asks]
        together = [(ask.memory_mb * ask.count, ask.vcores * ask.count) for ask in spec.asks if spec.waits]
        return (
            *_most([] if am is None else [(am.memory_mb, am.vcores)]),
            *_most(containers),
            *map(sum, _columns(together)),
        )
    parts = [getattr(spec, name, None) for name in ("map", "reduce", "executor")]
    containers = [(part.memory_mb, part.vcores) for part in parts if part is not None]
    if isinstance(spec, StandaloneSpec):
        containers.append((spec.executor_memory_mb, spec.executor_cores or 1))
    return *_most([] if am is None else [(am.memory_mb, am.vcores)]), *_most(containers), 0, 0


def _columns(sizes: Sequence[tuple[int, int]]) -> Iterable[Iterable[int]]:
    return zip(*sizes, strict=True) if sizes else ((), ())


def _most(sizes: Sequence[tuple[int, int]]) -> Iterable[int]:
    return [max(column, default=0) for column in _columns(sizes)]
