"""Finds settings that starve or block applications, or mislead operators, given the nodes of the cluster.

Each finding names what happens, the line, the way out and where Hadoop does it. Rules that need the nodes are left out
where they are not known. Of values that a file does not state the defaults count.

Source: SchedulerUtils#validateResourceRequest, Hadoop 2.7.2.
"""

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from math import ceil
from string import Template
from typing import Final, NamedTuple

from engine.errors import Problem
from engine.formats.capacity_listing import CapacityLimits, default_partition, other_scheduler
from engine.formats.daemon_lint import daemon_findings
from engine.formats.fair_files import LoadedAllocation
from engine.formats.finding import Finding, NodeSizes, finding_of, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.formats.mapreduce1_lint import read_by_hadoop_1
from engine.formats.site_lint import (
    SLOW_MS,
    access_findings,
    container_findings,
    partition_findings,
    preemption_findings,
    start_findings,
)
from engine.model.java_values import INT_MAX, setting_boolean
from engine.model.request import NONE, upwards
from engine.scenario.cluster import Table
from engine.scenario.scenario import family_of
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.fair34.settings import FairAllocation34
from engine.settings import fair
from engine.settings.capacity import MAXIMUM_PRIORITY, capacity_table
from engine.settings.capacity_queue import DEFAULT_PRIORITY, MAXIMUM_CAPACITY, QUEUES
from engine.settings.capacity_scheduler import (
    MAX_PARALLEL,
    MAX_PARALLEL_OF_USERS,
    MAXIMUM_AM_PERCENT,
    QUEUE_MAPPINGS,
    RESOURCE_CALCULATOR,
    USER_LIMIT_FACTOR,
)
from engine.settings.site import MAXIMUM_MB, MAXIMUM_VCORES, MINIMUM_MB, MINIMUM_VCORES, NODE_VCORES
from engine.settings.table import INTEGER, SINGLE
from engine.units import format_duration, plural

# Scenarios that show what a finding of `cluster_lint` says: one in which an application waits, and one with the way
# out.
#
# They are written in `witnesses.toml`. Each states as an expectation what its application `victim` is given, so that
# playing it proves it.

_HEAD: Final = 'title = "{title}"\nduration = "10m"\nscheduler = "{scheduler}"\n'


_PARTS: Final = ("site", "counting", "two", "on", "alone")  # Tables with parts that scenarios share


class Witness(NamedTuple):
    hurts: str  # It stands as the finding says
    helps: str  # The same with the way out


def witness_of(finding: Finding, scheduler: str) -> Witness | None:
    """The two scenarios of a finding under a scheduler, e.g. `fair-2.7`; None where no wait can be seen."""
    tables = tomllib.loads((files("engine.formats") / "witnesses.toml").read_text(encoding="utf-8"))
    family = family_of(scheduler)
    names = (f"{finding.rule}-{scheduler}", f"{finding.rule}-{family}", finding.rule)
    table = next((tables[name] for name in names if name in tables), None)
    if table is None:
        return None
    title = finding.rule.replace("-", " ")
    given = {name: f"{value:.10g}" for name, value in finding.values.items()}
    given |= {name: tables[name].get(family, tables[name].get("all", "")).strip() for name in _PARTS}

    def text(which: str, title: str) -> str:
        head = _HEAD.format(title=title, scheduler=scheduler)
        what = "lasts" if which == "helps" and "lasts" in table else which
        expected = Template(tables["expectation"][what]).substitute(containers=table.get("containers", 1))
        return f"{head}{_filled(table['scenario'], table[which], given)}{expected}"

    return Witness(text("hurts", title), text("helps", f"{title}, mended"))


def _filled(scenario: str, chosen: Table, given: dict[str, str]) -> str:
    values = {name: Template(str(value)).substitute(given) for name, value in chosen.items()}
    return Template(scenario).substitute(given | values)


DOMINANT: Final = "DominantResourceCalculator"
MOST_RESERVABLE: Final = 0.5  # Up to this part of the nodes an application may reserve without a warning
PREEMPTION_TIMEOUT: Final = "PreemptionTimeout"


class ClusterLint:
    def __init__(
        self,
        settings: HadoopConfiguration,
        rows: Sequence[CapacityQueueRow],
        loaded: LoadedAllocation | None,
        nodes: Sequence[NodeSizes],
        era: str,
    ) -> None:
        self._settings, self._rows, self._loaded, self._era = settings, rows, loaded, era
        self._table = capacity_table(era) if rows else fair.fair_table(era)
        self._properties = Properties(settings.values, Refusals(), self._table)
        self._smallest_mb = min((node.memory_mb for node in nodes), default=0)
        self._largest_mb = max((node.memory_mb for node in nodes), default=0)
        self._most_vcores = max((node.vcores for node in nodes), default=0)
        self._nodes = nodes
        self._memory_mb = sum(node.nodes * node.memory_mb for node in nodes)

    def findings(self, allocation_file: str, capacity_file: str = "") -> tuple[Finding, ...]:
        """Everything that hurts; of a scheduler of which no file tells, nothing."""
        found = [*read_by_hadoop_1(self._settings), *self._minima()]
        found += start_findings(self._settings, self._properties, capacity_file)
        found += daemon_findings(self._settings, self._rows, self._properties, self._era)
        most_mb, is_new = self._site(MAXIMUM_MB.name, 8192), self._era == "3.4"
        found += container_findings(self._settings, most_mb, self._largest_mb, sizes_follow_heaps=is_new)
        if self._rows or self._loaded is not None or MAXIMUM_MB.name in self._settings.values:
            found += self._maxima()
        if self._rows:
            found += [*self._default_queue(), *access_findings(self._settings, self._rows)]
            found += self._priorities()
            found += [*self._one_user(), *self._vcores(), *self._nothing(), *self._every_master()]
            found += preemption_findings(self._settings, self._rows, self._properties, self._table, self._memory_mb)
            found += partition_findings(self._settings, self._rows, self._properties, self._era)
        elif self._loaded is not None:
            found += self._fair(self._loaded, allocation_file)
        return tuple(found)

    def _found(self, rule: str, key: str, message: str, fix: str, **values: float) -> Finding:
        return found_at(self._settings, rule, key, message, fix, **values)

    def _site(self, key: str, otherwise: int) -> int:
        return self._properties.parsed(key, INTEGER, otherwise)

    # ---------------------------------------------------------------- of every scheduler

    def _minima(self) -> Iterator[Finding]:
        """A smallest container that is larger than the largest, than a node, or than half of one."""
        least_mb, most_mb = self._site(MINIMUM_MB.name, 1024), self._site(MAXIMUM_MB.name, 8192)
        if MINIMUM_MB.name in self._settings.values and least_mb > most_mb:
            message = f"{least_mb} MB, more than the largest container of {most_mb} MB: no ResourceManager starts"
            yield self._found("minimum-above-maximum", MINIMUM_MB.name, message, f"at most {most_mb}")
            return
        if least_mb == 0 and self._era == "2.7" and (self._loaded is not None or other_scheduler(self._settings)):
            message = "0: Hadoop 2.7 rounds masters to 0 MB, and a NodeManager kills them for what they use"
            yield self._found("masters-of-nothing", MINIMUM_MB.name, message, "1024, the default")
        if 0 < self._smallest_mb < least_mb:
            message = f"{least_mb} MB: a node of {self._smallest_mb} MB is refused when it registers"
            yield self._found("node-below-minimum", MINIMUM_MB.name, message, f"at most {self._smallest_mb}")
        sizes = [(MINIMUM_MB.name, self._largest_mb, "MB")]
        sizes += [(fair.INCREMENT_MB.name, self._largest_mb, "MB")] if self._loaded is not None else []
        sizes += [(MINIMUM_VCORES.name, self._most_vcores, "vcores")] if self._is_dominant else []
        for key, most, unit in sizes:
            least = self._site(key, 0)
            if key in self._settings.values and most // 2 < least <= most:
                message = (
                    f"{least} {unit}: every container is at least as large, so a node of {most} {unit} runs one, and"
                    " a master takes a whole node"
                )
                fix = "1, the default" if unit == "vcores" else "1024, the default"
                yield self._found("minimum-fills-node", key, message, fix)

    @property
    def _is_dominant(self) -> bool:
        return bool(self._rows) and self._properties.everywhere(RESOURCE_CALCULATOR).endswith(DOMINANT)

    def _maxima(self) -> Iterator[Finding]:
        node_mb = self._largest_mb
        most_mb = self._site(MAXIMUM_MB.name, 8192)
        if not node_mb:
            return
        values = {
            "node_mb": node_mb,
            "maximum_mb": most_mb,
            "above_mb": node_mb + 1,
            "fits_mb": max(1, node_mb // 1024 * 1024),
            "quarter_mb": node_mb // 4,
            "beside_mb": max(node_mb - most_mb + 1024, node_mb // 2 + 1),
        }
        if most_mb > node_mb:
            message = f"{most_mb} MB: no node has more than {node_mb} MB, so an ask between them never starts"
            yield self._found("maximum-above-node", MAXIMUM_MB.name, message, f"at most {node_mb}", **values)
        elif 2 * most_mb > node_mb >= 4096 and self._era == "2.7":
            # No ask reserves a node that is smaller.
            large = sum(node.nodes for node in self._nodes if node.memory_mb >= most_mb)
            whole = "nodes" if self._smallest_mb >= most_mb else "nodes that large"
            held = f"{large} such asks hold all {large} {whole}" if large else "each ask holds a node"
            message = (
                f"{most_mb} MB is more than half of a node of {node_mb} MB: such an ask reserves nodes that are partly"
                f" used, and no other application can use what is free there; {held}"
            )
            yield self._found("reservations", MAXIMUM_MB.name, message, f"at most {node_mb // 4}", **values)
        most_vcores = self._site(MAXIMUM_VCORES.name, 0)
        if (self._is_dominant or self._loaded is not None) and most_vcores > self._most_vcores:
            sizes = {"node_vcores": self._most_vcores, "maximum_vcores": most_vcores, "above": self._most_vcores + 1}
            message = f"{most_vcores}: no node has more than {self._most_vcores}, so an ask between them never starts"
            yield self._found(
                "vcores-above-node", MAXIMUM_VCORES.name, message, f"at most {self._most_vcores}", **sizes
            )

    # ---------------------------------------------------------------- capacity

    def _default_queue(self) -> Iterator[Finding]:
        names = {row.path.rpartition(".")[2] for row in self._rows if row.is_leaf}
        if "default" not in names and not self._settings.values.get(QUEUE_MAPPINGS.everywhere, "").strip():
            message = "there is no queue `default` and no mapping: an application that names no queue is refused"
            yield self._found(
                "no-default-queue", QUEUES.of("root"), message, f"add a queue default, or {QUEUE_MAPPINGS.everywhere}"
            )

    def _one_user(self) -> Iterator[Finding]:
        """Leaves that may grow, of which one user may not use more than what is guaranteed."""
        limits = CapacityLimits(self._settings.values, capacity_table(self._era))
        caught = []
        for row in self._rows:
            capacity, maximum = default_partition(row)
            own = MAXIMUM_CAPACITY.of(row.path)
            factor = limits.number(row, USER_LIMIT_FACTOR).number if row.is_leaf else 0
            maximum = min(maximum, 1.0)
            if own in self._settings.values and row.state != "STOPPED" and 0 < factor <= 1 and 0 < capacity < maximum:
                caught.append((row, own, capacity, capacity * factor, maximum))
        if not caught:
            return
        row, own, capacity, of_one, maximum = caught[0]
        others = f" (so for {len(caught) - 1} more queues)" if len(caught) > 1 else ""
        message = (
            f"{row.path} may grow to {100 * maximum:.4g} %, but one user of it only to {100 * of_one:.4g} %, even"
            f" where the rest is free{others}"
        )
        fix = f"{USER_LIMIT_FACTOR.of(row.path)}: {maximum / capacity:.4g}"
        yield self._found("one-user-limit", own, message, fix, capacity=capacity)

    def _vcores(self) -> Iterator[Finding]:
        key = RESOURCE_CALCULATOR.everywhere
        name = self._properties.everywhere(RESOURCE_CALCULATOR)
        values = self._settings.values
        counts = next((each for each in (MAXIMUM_VCORES.name, NODE_VCORES.name) if each in values), "")
        if name.endswith("DefaultResourceCalculator") and (counts or self._most_vcores):
            message = "compares memory alone: vcores are not counted, and nodes run more of them than they have"
            fix = f"{key}: org.apache.hadoop.yarn.util.resource.{DOMINANT}"
            yield self._found("vcores-ignored", key if key in values else counts or key, message, fix)

    def _priorities(self) -> Iterator[Finding]:
        if MAXIMUM_PRIORITY.name not in self._table.whole:
            return
        most = self._properties.everywhere(MAXIMUM_PRIORITY)
        for row in self._rows:
            key = DEFAULT_PRIORITY.of(row.path)
            if row.is_leaf and (stated := self._properties.parsed(key, INTEGER, 0)) > most:
                message = f"{stated} counts as {most}, the largest priority there is"
                yield self._found("priority-capped", key, message, f"{MAXIMUM_PRIORITY}={stated}")

    def _nothing(self) -> Iterator[Finding]:
        for row in self._rows:
            if row.state == "STOPPED":
                continue
            key = MAXIMUM_CAPACITY.of(row.path)
            if key in self._settings.values and self._properties.parsed(key, SINGLE, 100.0) == 0:
                yield self._found("queue-of-nothing", key, f"0: {row.path} may use nothing, so nothing runs", "100")
        yield from self._too_small()
        if MAX_PARALLEL.name not in self._table.queue:
            return
        keys = [
            MAX_PARALLEL.everywhere,
            MAX_PARALLEL_OF_USERS.everywhere,
            *(MAX_PARALLEL.of(row.path) for row in self._rows),
        ]
        for key in keys:
            if key in self._settings.values and self._properties.parsed(key, INTEGER, 1) <= 0:
                yield self._found("no-parallel-application", key, "0: no application is ever started", "at least 1")

    def _too_small(self) -> Iterator[Finding]:
        limits, least_mb = CapacityLimits(self._settings.values, self._table), self._site(MINIMUM_MB.name, 1024)
        for row in self._rows:
            maximum = default_partition(row)[1]
            is_open = self._memory_mb and row.is_leaf and row.state != "STOPPED" and maximum > 0
            if is_open and limits.is_too_small(row, self._memory_mb):
                keys = [MAXIMUM_CAPACITY.of(each) for each in upwards(row.path)]
                key = next((each for each in keys if each in self._settings.values), keys[0])
                message = (
                    f"{row.path} may use {maximum * self._memory_mb:.0f} MB, and the smallest container has"
                    f" {least_mb} MB: nothing runs"
                )
                fix = f"{ceil(100 * least_mb / self._memory_mb)} or more of the cluster"
                yield self._found("queue-of-nothing", key, message, fix)

    def _every_master(self) -> Iterator[Finding]:
        limits = CapacityLimits(self._settings.values, self._table)
        leaves = [row for row in self._rows if row.is_leaf and row.state != "STOPPED" and not self._is_narrow(row)]
        percents = [(row, limits.number(row, MAXIMUM_AM_PERCENT)) for row in leaves]
        caught = [(row, percent.key) for row, percent in percents if percent.number == 1 and percent.key]
        if caught:
            row, key = caught[0]
            others = f" and {len(caught) - 1} more" if len(caught) > 1 else ""
            message = (
                f"1: application masters may fill {row.path}{others}; many jobs at once hold all of it and wait for"
                " their first task"
            )
            yield self._found("masters-unlimited", key, message, "0.1 to 0.5")

    def _is_narrow(self, row: CapacityQueueRow) -> bool:
        if MAX_PARALLEL.name not in self._table.queue or not self._memory_mb:
            return False
        keys = [MAX_PARALLEL.everywhere, *map(MAX_PARALLEL.of, upwards(row.path))]
        most = min(self._properties.parsed(key, INTEGER, INT_MAX) for key in keys)
        return most * self._site(MINIMUM_MB.name, 1024) < default_partition(row)[1] * self._memory_mb

    # ---------------------------------------------------------------- fair

    def _fair(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        allocation, lines = loaded.allocation, loaded.lines
        if setting_boolean(self._settings.values.get(fair.PREEMPTION.name), False):
            yield from self._preemption(loaded, file)
        yield from self._open_masters(loaded, file)
        yield from self._of_root(loaded, file)
        yield from self._all_of_root(loaded, file)
        yield from self._default_passed_by(loaded, file)
        yield from self._places(loaded, file)
        reservable = float(self._properties.everywhere(fair.RESERVABLE_NODES)) if self._era != "2.7" else 0.0
        if reservable > MOST_RESERVABLE:
            part = min(1.0, reservable)
            message = f"one application may reserve {part:.0%} of the nodes, and no other can use what is free there"
            yield self._found("reservable-nodes", fair.RESERVABLE_NODES.name, message, "0.05, the default")
        if not self._memory_mb:
            return
        of_top = [(queue, least) for queue, least in allocation.min_resources.items() if queue.count(".") == 1]
        total_mb = sum(least.memory_mb for _, least in of_top)
        if total_mb > self._memory_mb:
            queue = of_top[0][0]
            message = (
                f"the minimum shares add up to {total_mb} MB, the cluster has {self._memory_mb} MB: they are scaled,"
                " and queues without one are given nothing while these ask"
            )
            problem = Problem(message, file, lines.get((queue, "minResources"), 0), queue, "less than the cluster")
            yield finding_of("minimums-above-cluster", problem)
        yield from self._masters(loaded, file)

    def _preemption(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        stated = [name.lower() for _, name in loaded.lines if name.endswith(PREEMPTION_TIMEOUT)]
        has_minimums = any(least != NONE for least in loaded.allocation.min_resources.values())
        if not any("fairshare" in name or has_minimums for name in stated):
            which = "that is stated is of minimum shares, and no queue has one" if stated else "is never"
            message = f"preemption is on and every timeout {which}: nothing is preempted"
            fix = f"defaultFairSharePreemptionTimeout in {file or 'the allocation file'}"
            yield self._found("preemption-never", fair.PREEMPTION.name, message, fix)
        for queue, threshold in loaded.allocation.fair_share_thresholds.items():
            if threshold == 0:
                place = (queue, "fairSharePreemptionThreshold")
                problem = Problem(
                    "0: the queue never counts as starved", file, loaded.lines.get(place, 0), queue, "0.5, the default"
                )
                yield finding_of("never-starved", problem)
        allocation, leaves = loaded.allocation, loaded.allocation.configured_leaves
        kept = allocation.not_preemptable if isinstance(allocation, FairAllocation34) else frozenset[str]()
        if leaves and all(any(each in kept for each in upwards(leaf)) for leaf in leaves):
            place = next(place for place in loaded.lines if place[1] == "allowPreemptionFrom")
            message = "preemption is on, and nothing may be taken from any queue of the file"
            problem = Problem(message, file, loaded.lines[place], ".".join(place), "true for queues that may grow")
            yield finding_of("preemption-forbidden", problem)
        yield from self._slow_preemption(loaded, file)
        above = self._properties.everywhere(fair.UTILIZATION_THRESHOLD)
        if above >= 1:
            message = f"preemption is on from more than {above:.0%} of the cluster on: nothing is preempted"
            yield self._found("preemption-threshold", fair.UTILIZATION_THRESHOLD.name, message, "0.8, the default")

    def _slow_preemption(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        allocation = loaded.allocation
        wait_ms = self._properties.everywhere(fair.WAIT_BEFORE_KILL)
        if wait_ms > SLOW_MS:
            message = f"a queue waits {format_duration(wait_ms)} for its share before a container is killed for it"
            yield self._found("preemption-slow", fair.WAIT_BEFORE_KILL.name, message, "15000, the default")
        for (queue, name), line in loaded.lines.items():
            get = allocation.min_share_timeout_ms if "minshare" in name.lower() else allocation.fair_share_timeout_ms
            if name.endswith(PREEMPTION_TIMEOUT) and INT_MAX > (timeout_ms := get(queue or "root")) > SLOW_MS:
                message = f"a queue waits {format_duration(timeout_ms)} for its share; the value is in seconds"
                yield finding_of("preemption-slow", Problem(message, file, line, f"{queue}.{name}".lstrip("."), "60"))

    def _open_masters(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        allocation, lines = loaded.allocation, loaded.lines
        leaves = [
            queue for queue in allocation.configured_leaves or ("root.default",) if self._is_open(allocation, queue)
        ]
        if not leaves:
            return
        own = (leaves[0], "maxAMShare")
        place = own if own in lines else ("", "queueMaxAMShareDefault")
        share, name = allocation.max_am_share(leaves[0]), place[1]
        what = "no share of masters is checked" if share < 0 else "masters may have all of it"
        others = f" and {len(leaves) - 1} more" if len(leaves) > 1 else ""
        least_mb = max(self._site(MINIMUM_MB.name, 1024), 1)
        masters = sum(node.nodes * (node.memory_mb // least_mb) for node in self._nodes)
        count = f"; {masters} fill these nodes" if masters else ""
        message = (
            f"{name} {share:g}: {what}, so many jobs at once fill {leaves[0]}{others} with masters that wait for their"
            f" first task{count}"
        )
        key = f"{leaves[0]}.{name}" if place == own else name
        problem = Problem(message, file, lines.get(place, 0), key, f"{name} of 0.5, the default, or maxRunningApps")
        yield finding_of("masters-unlimited", problem)

    @staticmethod
    def _of_root(loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        allocation, name = loaded.allocation, "queueMaxAppsDefault"
        most, place = allocation.queue_max_apps_default, ("", name)
        if place not in loaded.lines or most <= 0 or "root" in allocation.max_running_apps:
            return
        message = f"{most} holds for root as well: all queues together run {plural(most, 'application')}"
        problem = Problem(message, file, loaded.lines[place], name, 'a larger maxRunningApps in <queue name="root">')
        yield finding_of("root-runs-as-many", problem)

    def _all_of_root(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        """A maximum of every queue that keeps all of them together from the rest of the cluster."""
        allocation, name = loaded.allocation, "queueMaxResourcesDefault"
        line = loaded.lines.get(("", name))
        if line is None or not isinstance(allocation, FairAllocation34) or "root" in allocation.maximums:
            return
        total_mb, amount = self._memory_mb or INT_MAX, allocation.maximum_of("root")
        most_mb = amount.of(total_mb, INT_MAX).memory_mb
        if 0 <= most_mb < total_mb:
            most = f"{most_mb} MB" if self._memory_mb or amount.fixed is not None else "that part of the cluster"
            message = f"it holds for root as well: all queues together use {most} at most"
            fix = 'the whole cluster as maxResources in <queue name="root">'
            yield finding_of("root-uses-as-much", Problem(message, file, line, name, fix))

    def _default_passed_by(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        """Limits of root.default that hold for few, as users who name no queue get their own."""
        stated = [
            (line, name) for (queue, name), line in loaded.lines.items() if queue == "root.default" and name != "queue"
        ]
        has_rules = any(name == "queuePlacementPolicy" for _, name in loaded.lines)
        if not stated or has_rules or not self._properties.everywhere(fair.USER_QUEUE):
            return
        line, name = min(stated)
        message = (
            "holds only for applications that name the queue default: all others go to a queue of their user, root.NAME"
        )
        problem = Problem(message, file, line, f"root.default.{name}", f"{fair.USER_QUEUE}=false")
        yield finding_of("default-queue-passed-by", problem)

    def _is_open(self, allocation: FairAllocation, queue: str) -> bool:
        """Tell whether masters may fill a leaf: neither their share nor a number of applications keeps them from it."""
        if 0 <= allocation.max_am_share(queue) < 1:
            return False
        most = min(allocation.queue_max_apps(each) for each in upwards(queue))
        least_mb = max(self._site(MINIMUM_MB.name, 1024), 1)
        part_mb = min(_most_mb(allocation, queue), self._memory_mb or INT_MAX)
        if part_mb < 2 * least_mb:
            return False  # with half of it no master would start
        return most * least_mb >= part_mb if part_mb < INT_MAX else most == INT_MAX

    def _places(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        allocation = loaded.allocation
        policy = allocation.placement_34 if isinstance(allocation, FairAllocation34) else allocation.placement
        rules = [rule.name for rule in policy.rules]
        if rules and rules[-1] == "reject":
            before = ", ".join(rules[:-1]) or "none"
            message = f"the last rule is reject: an application that no rule before ({before}) places is refused"
            line = loaded.lines.get(("", "queuePlacementPolicy"), 0)
            problem = Problem(message, file, line, "queuePlacementPolicy", 'a last rule "default" takes it')
            yield finding_of("places-refused", problem)

    def _masters(self, loaded: LoadedAllocation, file: str) -> Iterator[Finding]:
        allocation, lines = loaded.allocation, loaded.lines
        least_mb = self._site(MINIMUM_MB.name, 1024)
        stated = "" if MINIMUM_MB.name in self._settings.values else f" ({MINIMUM_MB.name} by default)"
        for queue in allocation.configured_leaves:
            share, part_mb = allocation.max_am_share(queue), min(_most_mb(allocation, queue), self._memory_mb)
            masters_mb = share * part_mb if self._era == "2.7" else ceil(share * part_mb)
            if not 0 < masters_mb < least_mb:
                continue
            place = (queue, "maxAMShare") if (queue, "maxAMShare") in lines else ("", "queueMaxAMShareDefault")
            line = lines.get(place, lines.get((queue, "maxResources"), 0))
            message = (
                f"masters of {queue} may have {masters_mb:.0f} MB, the smallest has {least_mb} MB{stated}: none starts"
            )
            enough = min(1.0, (1000 * least_mb // part_mb + 1) / 1000)
            fix = f"maxAMShare of {enough:g} or more" if part_mb >= least_mb else "a larger maxResources"
            problem = Problem(message, file, line, f"{queue}.maxAMShare", fix)
            yield finding_of("masters-too-large", problem, share=share)


def _most_mb(allocation: FairAllocation, queue: str) -> int:
    """Return what a queue may have at most [MB]; parts of the cluster are not looked at."""
    if isinstance(allocation, FairAllocation34):
        fixed = allocation.maximum_of(queue).fixed
        return INT_MAX if fixed is None or fixed.memory_mb < 0 else fixed.memory_mb
    return allocation.max_share(queue).memory_mb
