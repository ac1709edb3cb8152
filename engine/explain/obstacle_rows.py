"""Obstacles of an application attempt as rows: counted over nodes, with numbers, and the setting that decides each."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, Final

import msgspec

from engine.explain.obstacles import AttemptObstacles
from engine.explain.report_part import Report
from engine.model.ledger import Attempt, Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.obstacle_texts import (
    OBSTACLE_TEXTS,
    answer_of,
    binding_units,
    counted,
    noun_of,
    numbers_of,
    shortage_of,
)
from engine.schedulers.scheduler_view import Setting
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.site import NODE_MEMORY, NODE_VCORES

NODES_NAMED: Final = 20
"""Number of nodes a row names."""


BELOW_SHARE: Final = "BELOW_SHARE"
"""Code of the row of a queue that has not what it is due."""

BEHIND: Final = "BEHIND"
"""Code of the row of those that are served first in its queue."""

TRIED_TOGETHER: Final = frozenset({BELOW_SHARE, BEHIND})
"""Codes of rows whose settings are tried together, and named as far as all of them are needed."""

PROVED: Final = frozenset({"DRIVERS_HOLD", "REDUCES_HOLD"})
"""Codes of rows that name settings only where their figures prove that these decide, so that nothing is tried."""


class ObstacleRow(Report, frozen=True, omit_defaults=False):
    """One reason, counted over all nodes where it holds; one about a queue has no nodes."""

    code: str
    """A `schedulers.activity.Reason` name."""
    answer: str
    """In words, without how many nodes it holds on."""
    level: str
    state: str
    diagnostic: str = ""
    count: int = 0
    """Nodes it holds on; 0 for a reason about a queue or the application."""
    of: int = 0
    """Nodes there are."""
    nodes: tuple[str, ...] = ()
    """Hosts, at most `NODES_NAMED`."""
    subject: str = ""
    """The queue, user or application it is about; empty when none."""
    numbers: dict[str, int] = {}
    """Numbers of the queue, or of the node that comes nearest."""
    decided_by: Setting | None = None
    """The setting that decides it; None when none does."""
    certainty: str = "known"
    together: tuple[Setting, ...] = ()
    """Settings of which no single one would help, but all of them would."""
    noun: str = ""
    """`node` or `worker` where the sentence begins with how many of them it holds on."""

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        return counted(self.answer, self.count, self.of, self.noun)

    def written(self, zone: tzinfo | None) -> dict[str, Any]:
        """The row with its sentence in place of its parts."""
        fields = super().written(zone)
        del fields["answer"], fields["noun"]
        return {"code": self.code, "sentence": self.sentence, **fields}


def without_setting(row: ObstacleRow) -> ObstacleRow:
    """An obstacle of which it is not known what decides it; a proved one as it is."""
    if row.code in TRIED_TOGETHER:
        return msgspec.structs.replace(row, together=())
    is_kept = row.decided_by is None or row.code in PROVED
    return row if is_kept else msgspec.structs.replace(row, decided_by=None)


def obstacle_rows(
    scheduler: YarnScheduler, attempt: Attempt, found: AttemptObstacles, gone: int = 0
) -> tuple[ObstacleRow, ...]:
    """All that stands in the way, the first reason first: that of the queue, then those of nodes by their number.

    `gone` nodes are out of service and counted among all there are.
    """
    rows, nodes = [], len(found.on_nodes) + gone
    if found.in_queue is not None:
        rows.append(_row(scheduler, attempt, [(None, found.in_queue)], nodes))
    alike: dict[int, list[tuple[Node | None, Obstacle]]] = {}
    for pair in found.on_nodes:  # one obstacle often serves many nodes
        key = id(pair[1])
        if key in alike:
            alike[key].append(pair)
        else:
            alike[key] = [pair]
    groups: dict[tuple[object, ...], list[tuple[Node | None, Obstacle]]] = {}
    for group in alike.values():
        groups.setdefault(_kind(group[0][1]), []).extend(group)
    is_told = found.in_queue is not None and groups.keys() == {_kind(found.in_queue)}  # every node says the same
    by_size = [] if is_told else sorted(groups.values(), key=len, reverse=True)
    rows += [_row(scheduler, attempt, group, nodes) for group in by_size]
    if found.on_others is not None:
        rows.append(_row(scheduler, attempt, [(None, found.on_others)], nodes))
    return tuple(rows)


def _kind(obstacle: Obstacle) -> tuple[object, ...]:
    return (obstacle.reason, obstacle.subject, obstacle.partition, *binding_units(obstacle))


def _row(scheduler: YarnScheduler, attempt: Attempt, group: list[tuple[Node | None, Obstacle]], of: int) -> ObstacleRow:
    nearest = min((obstacle for _, obstacle in group), key=shortage_of)
    text = OBSTACLE_TEXTS[nearest.reason]
    nodes = [node for node, _ in group if node is not None]
    return ObstacleRow(
        code=nearest.reason.name,
        answer=answer_of(nearest),
        level=text.level,
        state="RE_RESERVED" if _is_held(attempt, nodes) else text.state,
        diagnostic=text.diagnostic,
        count=len(nodes),
        of=of,
        nodes=tuple(node.host for node in nodes[:NODES_NAMED]),
        subject=nearest.subject,
        numbers=numbers_of(nearest),
        decided_by=_setting_behind(scheduler, attempt, nearest, nodes),
        together=tuple(scheduler.policy.view().settings_needed(attempt, nearest)),
        noun=noun_of(nearest),
    )


def _is_held(attempt: Attempt, nodes: Sequence[Node]) -> bool:
    """Tell whether it holds one of these nodes reserved, and is offered it again and again."""
    return any(node.reserved is not None and node.reserved.attempt is attempt for node in nodes)


def _setting_behind(
    scheduler: YarnScheduler, attempt: Attempt, obstacle: Obstacle, nodes: Sequence[Node]
) -> Setting | None:
    """Return the setting that decides an obstacle: of the application, of the policy, or of the nodes."""
    if obstacle.reason is Reason.LOCALITY_NOT_RELAXED:
        return Setting("relaxLocality", "false")
    if obstacle.reason is Reason.BLACKLISTED:
        return Setting("blacklist", ",".join(sorted(attempt.blacklist)))
    found = scheduler.policy.view().setting_behind(attempt, obstacle)
    return _of_nodes(obstacle, nodes) if found is None and obstacle.reason in _OF_NODES and nodes else found


_OF_NODES: Final = (Reason.DOES_NOT_FIT, Reason.NODE_TOO_SMALL)


def _of_nodes(obstacle: Obstacle, nodes: Sequence[Node]) -> Setting:
    """Return the size of the nodes in the dimension that binds; memory where both do."""
    if "mb" not in binding_units(obstacle):
        return Setting(NODE_VCORES.name, str(max(node.total_vcores for node in nodes)))
    return Setting(NODE_MEMORY.name, str(max(node.total_memory_mb for node in nodes)))
