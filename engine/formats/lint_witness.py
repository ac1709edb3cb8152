"""Scenarios that show what a finding of `cluster_lint` says: one in which somebody waits, and one with the way out.

Each is as small as can be: one or two nodes, and an application `victim` that gets no container in the first scenario
and gets one in the second. Both state that as an expectation, so that playing them proves it.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.formats.cluster_lint import Finding

UNSEEN: Final = frozenset({"acl-off", "acl-open", "vcores-ignored"})
"""Rules of which nobody waits: they let in whom they should keep out, or let nodes run too much."""

_HEAD: Final = """title = "{title}"
duration = "10m"
scheduler = "{scheduler}"

[settings]
{settings}

[cluster]
groups = [{{ prefix = "n", count = {count}, memory = "{memory}m", vcores = 64 }}]
"""
_APPLICATION: Final = """
[[workload]]
type = "scripted"
name = "{name}"
user = "{user}"
{queue}at = {at}
am = {am}
asks = [{{ memory = "{memory}m", count = {count}, duration = "{duration}" }}]
"""
_WAITS: Final = """
[[expectations]]
about = "the victim is given nothing"
since = "+3m"
until = "+9m"
of = "application"
application = "victim"
what = "containers"
equals = 0
"""
_STARTS: Final = """
[[expectations]]
about = "the victim is given a container"
within = "9m"
of = "application"
application = "victim"
what = "containers"
at_least = 1
"""
_MASTER: Final = '{ memory = "1024m" }'
_UNMANAGED: Final = '"unmanaged"'
_FAIR: Final = '"yarn.scheduler.fair.user-as-default-queue" = false'
_CAPACITY: Final = '"yarn.scheduler.capacity.'
_MASTERS: Final = f'{_CAPACITY}maximum-am-resource-percent" = 1'


class Witness(NamedTuple):
    """Two scenarios as TOML."""

    hurts: str
    """It stands as the finding says."""
    helps: str
    """The same with the way out."""


class _Application(NamedTuple):
    """One application of a witness."""

    name: str
    memory_mb: float
    asked: int = 1
    at: int = 1
    queue: str = ""
    am: str = _UNMANAGED
    duration: str = "1h"
    user: str = ""


class _Play(NamedTuple):
    """One scenario of a witness."""

    scheduler: str
    settings: str
    nodes: int
    memory_mb: float
    applications: tuple[_Application, ...]
    queues: str = ""

    def text(self, title: str, expectation: str) -> str:
        """The scenario as TOML."""
        head = _HEAD.format(
            title=title,
            scheduler=self.scheduler,
            settings=self.settings,
            count=self.nodes,
            memory=round(self.memory_mb),
        )
        tables = (
            _APPLICATION.format(
                name=each.name,
                user=each.user or each.name,
                queue=f'queue = "{each.queue}"\n' if each.queue else "",
                at=each.at,
                am=each.am,
                memory=round(each.memory_mb),
                count=each.asked,
                duration=each.duration,
            )
            for each in self.applications
        )
        return head + self.queues + "".join(tables) + expectation


def witness_of(finding: Finding, scheduler: str) -> Witness | None:
    """The two scenarios of a finding under a scheduler, e.g. `fair-2.7`; None where nobody can be seen waiting."""
    maker = _MAKERS.get(finding.rule)
    if maker is None:
        return None
    hurts, helps = maker(finding.values, scheduler)
    title = finding.rule.replace("-", " ")
    return Witness(hurts.text(title, _WAITS), helps.text(f"{title}, mended", _STARTS))


def _site(scheduler: str, most_mb: float = 1 << 20) -> str:
    """Settings of every witness: the largest container, and the queue `default` of the scheduler."""
    lines = [f'"yarn.scheduler.maximum-allocation-mb" = {round(most_mb)}']
    if scheduler.startswith("capacity"):
        lines += [_MASTERS, f'{_CAPACITY}root.queues" = "default"', f'{_CAPACITY}root.default.capacity" = 100']
    elif scheduler.startswith("fair"):
        lines.append(_FAIR)
    return "\n".join(lines)


def _above_node(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    node_mb = values["node_mb"]
    plays = [
        _Play(scheduler, _site(scheduler, most), 1, node_mb, (_Application("victim", ask, queue="default"),))
        for most, ask in ((values["maximum_mb"], node_mb + 1), (node_mb, max(1, node_mb // 1024 * 1024)))
    ]
    return plays[0], plays[1]


def _reservations(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    """Two nodes on which one container of the largest size does not fit any more."""
    node_mb, most_mb = values["node_mb"], values["maximum_mb"]
    plays = [
        _Play(
            scheduler,
            _site(scheduler, node_mb),
            2,
            node_mb,
            (
                _Application("first", max(node_mb - most_mb + 1024, node_mb // 2 + 1), 2, queue="default"),
                _Application("large", ask, 2, 60, "default", duration="1m"),
                _Application("victim", 1024, 1, 120, "default"),
            ),
        )
        for ask in (most_mb, node_mb // 4)
    ]
    return plays[0], plays[1]


def _minimums(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    """One queue has a minimum above the cluster, the other none; each container runs a minute."""
    plays = [
        _Play(
            scheduler,
            _site(scheduler),
            1,
            8192,
            (
                _Application("first", 1024, 1000, queue="promised", duration="10s"),
                _Application("victim", 1024, 1, 30, "other"),
            ),
            f'\n[[queues]]\nname = "promised"\nmin_resources = "{least} mb, 1 vcores"\n[[queues]]\nname = "other"\n',
        )
        for least in (16_384, 4096)
    ]
    return plays[0], plays[1]


def _masters(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    plays = [
        _Play(
            scheduler,
            _site(scheduler),
            1,
            8192,
            (_Application("victim", 1024, queue="small", am=_MASTER),),
            f'\n[[queues]]\nname = "small"\nmax_am_share = {share}\n',
        )
        for share in (0.1, 0.5)
    ]
    return plays[0], plays[1]


def _preemption(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    settings = f'{_site(scheduler)}\n"yarn.scheduler.fair.preemption" = true'
    settings += '\n"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = 0.5'
    applications = _Application("first", 1024, 100, queue="busy"), _Application("victim", 1024, 1, 30, "other")
    queues = '\n[[queues]]\nname = "busy"\n[[queues]]\nname = "other"\n'
    timeouts = "\n[queue_defaults]\ndefaultFairSharePreemptionTimeout = 10\n"
    plays = [_Play(scheduler, settings, 1, 8192, applications, extra + queues) for extra in ("", timeouts)]
    return plays[0], plays[1]


def _no_default(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    queues = f'{_CAPACITY}root.queues" = "etl"\n{_CAPACITY}root.etl.capacity" = 100'
    mapping = f'\n{_CAPACITY}queue-mappings" = "u:%user:etl"'
    applications = (_Application("victim", 1024),)
    plays = [_Play(scheduler, queues + extra, 1, 8192, applications) for extra in ("", mapping)]
    return plays[0], plays[1]


def _one_user(values: dict[str, float], scheduler: str) -> tuple[_Play, _Play]:
    """Half of the cluster is free, and the user of the other half waits."""
    plays = []
    for factor in (1, 2):
        settings = "\n".join(
            (
                _MASTERS,
                f'{_CAPACITY}root.queues" = "a,b"',
                f'{_CAPACITY}root.a.capacity" = 50',
                f'{_CAPACITY}root.a.maximum-capacity" = 100',
                f'{_CAPACITY}root.a.user-limit-factor" = {factor}',
                f'{_CAPACITY}root.b.capacity" = 50',
            )
        )
        applications = (
            _Application("first", 1024, 5, 1, "a", user="ann"),
            _Application("victim", 1024, 1, 30, "a", user="ann"),
        )
        plays.append(_Play(scheduler, settings, 1, 8192, applications))
    return plays[0], plays[1]


_MAKERS: Final[dict[str, Callable[[dict[str, float], str], tuple[_Play, _Play]]]] = {
    "maximum-above-node": _above_node,
    "reservations": _reservations,
    "minimums-above-cluster": _minimums,
    "masters-too-large": _masters,
    "preemption-never": _preemption,
    "no-default-queue": _no_default,
    "one-user-limit": _one_user,
}
