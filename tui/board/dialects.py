"""Dialects: how each kind of cluster is shown. All that differs between YARN and Spark on the screens stands here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.observe.snapshot import CapacityQueueRow, Snapshot
from engine.observe.snapshots import SystemTerms, terms_of_system
from engine.settings import capacity
from engine.settings.table import SettingHelp
from tui.actions import ACTIONS, PANE, PANES, Action
from tui.board.layout import DETAIL, PaneBand, PaneColumn, PanePlan, PanePlans, PaneSlot
from tui.dialogs.queue import POOL_SETTINGS, QUEUE_SETTINGS, TASK_QUEUE_SETTINGS
from tui.dialogs.submit import JOB_FORM, STANDALONE_FORM, TASK_QUEUE_FORM, YARN_FORM, SubmitForm
from tui.panes import (
    application,
    capacity_queue,
    container,
    heat,
    mapreduce1,
    queue,
    rack,
    reservation,
    standalone,
    user,
    workers,
)
from tui.panes import events as event
from tui.panes import graphs as graph
from tui.panes import nodes as node
from tui.panes.field import RowOrder
from tui.panes.nodes import BlocksOn, containers_on, executors_on
from tui.panes.pane_view import PaneView
from tui.panes.table import Column
from tui.terminal.format import DOT

BY_WAIT: Final = "longest wait first"  # Order of the applications in an exam
_WAITS_SINCE: Final = "waiting_since_ms"


class DialogTerms(NamedTuple):
    words: SystemTerms = SystemTerms()
    drain: str = "Take"  # How a question about draining begins
    drain_title: str = "Drain"
    draining: str = "Draining"  # What is done then
    drain_loses_work: bool = False  # Whether what runs on a drained node ends at once
    drained: str = "It gets no further containers."
    restart: str = "rm_restart"  # The fault that restarts the control plane, as a script calls it

    def of_badges(self) -> dict[str, str]:
        words = self.words
        return {
            "application": words.application,
            "container": words.container,
            "node": words.node,
            "master": words.master,
        }


_OF_KEYS: Final = {
    "application_acts.move_to": "application_acts.move",
    "node_acts.add_named": "node_acts.add",
    "node_acts.drain_named": "node_acts.drain",
    "node_acts.return_named": "node_acts.drain",
    "node_acts.label_as": "node_acts.label",
    "node_acts.resize_to": "node_acts.resize",
    "cluster_acts.choose_preemption": "cluster_acts.toggle_preemption",
    "cluster_acts.choose_rule": "cluster_acts.cycle_reservation",
    "cluster_acts.choose_spread_out": "cluster_acts.toggle_spread_out",
    "cluster_acts.fault": "cluster_acts.restart",
    "cluster_acts.reload_from": "cluster_acts.reload",
    "cluster_acts.set_queue": "cluster_acts.edit_queue",
    "cluster_acts.submit_words": "cluster_acts.submit",
}  # What a command or a menu calls → the call of the key that does the same: it is refused where that is


class Dialect(NamedTuple):
    panes: Mapping[str, tuple[PaneView[Any], ...]]
    """Name of a pane → its views, the first is shown until another is chosen; those with a digit first."""
    plans: PanePlans  # Where the panes stand
    greyed: Mapping[str, str]  # What a key would call → why it does nothing here
    absent: frozenset[str] = frozenset()  # Calls that another scheduler has and this one has not: not offered
    muted: frozenset[str] = frozenset()  # Panes that never have a row here
    queue_settings: Mapping[str, SettingHelp] = QUEUE_SETTINGS  # What may be changed of a queue while it runs
    form: SubmitForm = YARN_FORM
    terms: DialogTerms = DialogTerms()
    blocks_on: BlocksOn = containers_on  # What runs on nodes

    def view(self, pane: str, variant: str = "") -> PaneView[Any]:
        views = self.panes[pane]
        return next((view for view in views if view.variant == variant), views[0])

    def refusal(self, call: str) -> str:
        """Why a call does nothing here, as a sentence; empty where it does something."""
        name = call.partition("(")[0]
        reason = self.greyed.get(_OF_KEYS.get(name, name))
        return f"{reason}." if reason else ""

    def views(self, pane: str) -> list[str]:
        """The names of a pane's views, in the order they follow each other; none where it has one only."""
        pane_views = self.panes[pane]
        return [view.variant for view in pane_views] if len(pane_views) > 1 else []

    def offered(self, registry: Iterable[Action]) -> tuple[Action, ...]:
        """Return the actions that this kind of cluster has; those that go to a pane have its name here."""
        return tuple(self._named(action) for action in registry if action.call not in self.absent)

    def _named(self, action: Action) -> Action:
        pane = action.id.removeprefix(PANE)
        if pane not in self.panes:
            # What else it does to queues goes where there are none.
            what, *also = action.help.removesuffix(".").split("; ")
            said = [each for each in also if self.terms.words.has_queues or "queue" not in each]
            return action._replace(help=f"{'; '.join([what, *said])}.")
        title = self.panes[pane][0].title.lower()
        return action._replace(title=title, help=action.help.replace(pane, title))

    def at_work(self, registry: Iterable[Action]) -> list[Action]:
        """Return of the actions offered those that can ever do something: no pane stays empty, no key is refused."""
        idle = {*self.greyed, *(f"navigation.show({name!r})" for name in self.muted)}
        return [action for action in self.offered(registry) if action.call not in idle]

    @property
    def pane_words(self) -> dict[str, str]:
        """What a user may call a pane → its name."""
        titles = {views[0].title.lower(): name for name, views in self.panes.items()}
        return {**{name: name for name in self.panes}, **titles, "apps": "applications"}

    @property
    def titles(self) -> dict[str, str]:
        """Name of a pane → its title with its digit, in the order of the digits; a dot stands for none."""
        digits = {name: str(digit) for digit, name in enumerate(PANES, start=1)}
        return {name: f"{digits.get(name, DOT)} {views[0].title}" for name, views in self.panes.items()}


def _titled(view: PaneView[Any], **titles: str) -> PaneView[Any]:
    """A view some of whose columns have the titles of another system, by their own with `_` for a blank."""
    words = {name.replace("_", " "): title for name, title in titles.items()}

    def named(columns: Sequence[Column[Any]] | None) -> Sequence[Column[Any]] | None:
        return columns and [each._replace(title=words.get(each.title, each.title)) for each in columns]

    return view._replace(
        columns=named(view.columns) or (),
        sorted_columns=named(view.sorted_columns),
        every_column=named(view.every_column),
    )


_PLACED: Final = frozenset({"applications", "queues", "users", "nodes", "graphs"})
"""Panes that every plan names; the others share a place."""


def _panes(*pane_views: PaneView[Any]) -> tuple[dict[str, tuple[PaneView[Any], ...]], PanePlans]:
    names = dict.fromkeys(view.name for view in pane_views)
    views = {
        name: tuple(view for view in pane_views if view.name == name) for name in (*PANES, *names) if name in names
    }
    shared = [name for name in names if name not in _PLACED]
    by_nodes = [name for name in shared if views[name][0].stands_by_nodes]
    return views, _plans(by_nodes, [name for name in shared if name not in by_nodes])


def _plans(by_nodes: Sequence[str], others: Sequence[str]) -> PanePlans:
    applications, queues = PaneSlot(("applications",), 8), PaneSlot(("queues", "users"))
    strip = PaneSlot((DETAIL,), 8, is_patient=True)
    beside = PanePlan(
        (
            PaneBand((PaneColumn((applications,)),)),
            PaneBand(
                (
                    PaneColumn((PaneSlot(("nodes", *by_nodes, *others, "graphs"), 8),), share=17, most=84),
                    PaneColumn((queues, strip)),
                )
            ),
            PaneBand((PaneColumn((PaneSlot(("graphs",), 10),)),), is_spare=True),
        )
    )
    left = (
        queues._replace(panes=("queues",)),
        PaneSlot(("nodes", *by_nodes), 8),
        PaneSlot(("graphs",), 14, 30, is_patient=True),
        PaneSlot((*others, "users"), 8, is_patient=True),
    )
    right = (
        applications,
        strip._replace(is_patient=False),
        PaneSlot(("events",), 9, is_patient=True, is_spare=True),
    )
    columns = PanePlan((PaneBand((PaneColumn(left, share=15, most=84), PaneColumn(right))),))
    return PanePlans(beside, columns)


_OF_PARTITIONS: Final = frozenset({"views.next_partition", "views.partition"})
"""What is about partitions of nodes, which only CapacityScheduler tells apart."""

_ONLY_SPARK: Final = "Only Spark's Master {}"
_LABEL: Final = dict.fromkeys(
    ("node_acts.label", *sorted(_OF_PARTITIONS)), "Only CapacityScheduler knows partitions of nodes"
)
_RELOAD: Final = {"cluster_acts.reload": "Only FairScheduler loads an allocation file"}
_EDIT: Final = {"cluster_acts.edit_queue": "JobQueueTaskScheduler has one list and no queues"}
_RESIZE: Final = {"node_acts.resize": "Only a ResourceManager takes another size of a node"}

YARN: Final = Dialect(
    *_panes(
        application.VIEW,
        queue.VIEW,
        queue.LEAVES,
        node.VIEW,
        rack.VIEW,
        heat.VIEW,
        reservation.VIEW,
        event.VIEW,
        container.VIEW,
        user.VIEW,
        graph.VIEW,
    ),
    {
        "cluster_acts.toggle_spread_out": _ONLY_SPARK.format("spreads executors out or packs them; this is YARN"),
        "inspection.plans": _ONLY_SPARK.format("hands out cores step by step; this is YARN"),
        **_LABEL,
    },
    absent=_OF_PARTITIONS,
)

FIFO: Final = YARN._replace(
    greyed={
        **YARN.greyed,
        "cluster_acts.edit_queue": "FifoScheduler has one queue, which has no settings",
        "application_acts.move": "FifoScheduler has one queue",
        **_RELOAD,
    },
    panes={**YARN.panes, "queues": (queue.FIFO,)},
    muted=frozenset({"reservations"}),
)  # YARN with FifoScheduler

CAPACITY: Final = YARN._replace(
    greyed={**{call: why for call, why in YARN.greyed.items() if call not in _LABEL}, **_RELOAD},
    panes={**YARN.panes, "queues": (capacity_queue.VIEW, capacity_queue.LEAVES)},
    absent=frozenset({"cluster_acts.cycle_reservation", "cluster_acts.choose_rule"}),
    queue_settings=capacity.CAPACITY_34.helps(),
)  # YARN with CapacityScheduler: its queues have other limits

CAPACITY_27: Final = CAPACITY._replace(queue_settings=capacity.CAPACITY_27.helps())
"""YARN with CapacityScheduler 2.7.2, which reads fewer settings."""

STANDALONE: Final = Dialect(
    *_panes(
        standalone.VIEW,
        standalone.FIFO,
        workers.WORKERS,
        _titled(rack.VIEW, ON_ONE_NODE="ON ONE", CONT="EXEC")._replace(empty_text=workers.WORKERS.empty_text),
        heat.VIEW,
        event.VIEW,
        workers.EXECUTORS,
        reservation.NONE,
        user.STANDALONE,
        graph.VIEW,
    ),
    {
        "cluster_acts.toggle_preemption": "Spark's Master preempts nothing: executors stay while they are wanted",
        "cluster_acts.restart": "Only a ResourceManager or JobTracker is restarted here; this is Spark's Master",
        "application_acts.move": "Spark's Master has one list and no queues",
        "application_acts.set_priority": "Spark's Master serves its list in order and knows no priorities",
        "cluster_acts.edit_queue": "Spark's Master has one list and no queues",
        "cluster_acts.cycle_reservation": "Spark's Master reserves nothing: what does not fit waits for the next pass",
        **_LABEL,
        **_RELOAD,
        **_RESIZE,
    },
    absent=_OF_PARTITIONS,
    muted=frozenset({"reservations"}),
    form=STANDALONE_FORM,
    blocks_on=executors_on,
    terms=DialogTerms(
        terms_of_system("spark"),
        drain="Decommission",
        drain_title="Decommission",
        draining="Decommissioning",
        drain_loses_work=True,
        drained="It takes no more work and its executors go; it comes back as a new worker.",
    ),
)  # Spark's standalone Master

MAPREDUCE_1: Final = Dialect(
    *_panes(
        _titled(mapreduce1.JOBS, POOL="QUEUE"),
        _titled(mapreduce1.POOLS, POOL="QUEUE")._replace(title="Queues", enter_help="Go to the jobs of the queue."),
        mapreduce1.TRACKERS,
        _titled(rack.VIEW, MEMORY="MAP SLOTS", ON_ONE_NODE="ON ONE", CONT="RUN")._replace(
            empty_text=mapreduce1.TRACKERS.empty_text
        ),
        heat.VIEW,
        mapreduce1.RESERVATIONS,
        _titled(event.VIEW, APP="JOB"),
        _titled(mapreduce1.ATTEMPTS, POOL="QUEUE"),
        mapreduce1.USERS,
        graph.VIEW,
    ),
    {
        "cluster_acts.toggle_spread_out": _ONLY_SPARK.format("spreads executors out or packs them"),
        "inspection.plans": _ONLY_SPARK.format("hands out cores step by step"),
        "cluster_acts.toggle_preemption": "A JobTracker reads its settings when it starts",
        **_EDIT,
        "application_acts.move": "A job of a JobTracker stays in its pool or queue",
        **_LABEL,
        **_RELOAD,
        **_RESIZE,
    },
    absent=_OF_PARTITIONS | {"cluster_acts.cycle_reservation", "cluster_acts.choose_rule"},
    form=TASK_QUEUE_FORM,
    terms=DialogTerms(
        terms_of_system("mr1"),
        drain="Exclude",
        drain_title="Exclude",
        draining="Excluding",
        drain_loses_work=True,
        drained="What runs there is lost, and maps whose output reduces need run again.",
        restart="job_tracker_restart",
    ),
)  # MapReduce 1's JobTracker

MAPREDUCE_1_FAIR: Final = MAPREDUCE_1._replace(
    greyed={call: why for call, why in MAPREDUCE_1.greyed.items() if call not in (*_EDIT, *_RELOAD)},
    panes={
        **MAPREDUCE_1.panes,
        "applications": (mapreduce1.JOBS,),
        "queues": (mapreduce1.POOLS,),
        "containers": (mapreduce1.ATTEMPTS,),
    },
    queue_settings=POOL_SETTINGS,
    form=JOB_FORM,
)  # A JobTracker with the FairScheduler, which has a file of pools

MAPREDUCE_1_CAPACITY: Final = MAPREDUCE_1._replace(
    greyed={call: why for call, why in MAPREDUCE_1.greyed.items() if call not in _EDIT},
    queue_settings=TASK_QUEUE_SETTINGS,
)  # A JobTracker with CapacityTaskScheduler

_OF_SCHEDULERS: Final[Mapping[str, Dialect]] = {
    **dict.fromkeys(queue.FIFO_SCHEDULERS, FIFO),
    "capacity-2.7": CAPACITY_27,
    "mr1-fair": MAPREDUCE_1_FAIR,
    "mr1-capacity": MAPREDUCE_1_CAPACITY,
}  # Scheduler → how its clusters are shown, where that differs from others of the kind

OF_SERVER: Final = frozenset({"application_acts.kill", "application_acts.move"})  # Acts that a ResourceManager offers

NOT_BY_REST: Final = "This cluster is live: its REST interface cannot do that"

_DIALECTS: Final[Mapping[str, Dialect]] = {"yarn": YARN, "spark": STANDALONE, "mr1": MAPREDUCE_1}
"""What a snapshot calls its kind of cluster → how it is shown."""


def without_model(dialect: Dialect) -> Dialect:
    """Tells how a live cluster is shown: of the acts only those that its server offers."""
    calls = [action.call for action in ACTIONS if action.changes_cluster and action.call not in OF_SERVER]
    return dialect._replace(greyed={**dict.fromkeys(calls, NOT_BY_REST), **dialect.greyed})


def _by_wait(order: RowOrder | None) -> RowOrder | None:
    """Applications that wait, longest first, then the others in their own order; None where no row knows its wait."""
    if order is None or _WAITS_SINCE not in order.reads:
        return None
    place, own = order.reads.index(_WAITS_SINCE), order.key

    def key(*values: Any) -> tuple[object, ...]:  # Any: whatever the fields have
        since_ms = values[place]
        return since_ms is None, since_ms or 0, own(*values)

    return RowOrder(order.reads, key)


def without_causes(dialect: Dialect) -> Dialect:
    """Tells how an exam is shown: applications stand in one list, without why they wait."""

    def plain(view: PaneView[Any]) -> PaneView[Any]:
        order = _by_wait(view.criteria.order)
        kept = [each for each in view.sorted_columns or view.columns if not each.title.startswith("WHY")]
        return view._replace(
            columns=kept,
            sorted_columns=kept,
            every_column=kept,
            grouping=None,
            has_folds=False,
            criteria=view.criteria._replace(order=order),
            caption=lambda look: "" if order is None else BY_WAIT,
        )

    views = tuple(plain(view) for view in dialect.panes["applications"])
    return dialect._replace(panes={**dialect.panes, "applications": views})


def dialect_of(snapshot: Snapshot) -> Dialect:
    found = _OF_SCHEDULERS.get(snapshot.header.scheduler)
    if found is not None:
        return found
    if issubclass(snapshot.sections["queues"], CapacityQueueRow):
        return CAPACITY
    return _DIALECTS[snapshot.dialect]
