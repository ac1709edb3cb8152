"""The one place where the explainer of each kind of control plane is chosen.

To have another kind of control plane explained, write an `Explainer` and name it in `EXPLAINERS`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.errors import RefusedError
from engine.explain.explainer import Explainer
from engine.explain.instant import application_at
from engine.explain.job_tracker_explainer import JobTrackerExplainer
from engine.explain.obstacles import LEFT_OVER, idle_words
from engine.explain.outages import stranded, waits_of
from engine.explain.spark_explainer import SparkExplainer
from engine.explain.yarn_explainer import YarnExplainer
from engine.incremental import run_to_end
from engine.schedulers.obstacle_texts import Reason
from engine.simulation.simulation import Simulation

EXPLAINERS: Final[Mapping[str, Callable[[Any, Simulation], Explainer]]] = {
    YarnClusterView.kind: YarnExplainer,
    SparkClusterView.kind: SparkExplainer,
    JobTrackerView.kind: JobTrackerExplainer,
}
"""`ClusterView.kind` → what explains it, of its view and the simulation; Any: each takes the view of its kind."""

MORE_LATER: Final = (Reason.NOTHING_ASKED.name, LEFT_OVER)
"""Codes of rows of an application that asks for nothing now, and would have more by their setting."""


def explainer_of(simulation: Simulation) -> Explainer:
    view = simulation.control_plane.view()
    return EXPLAINERS[view.kind](view, simulation)


def waiting_at(simulation: Simulation, name: str) -> int:
    """The number of a live application that asks for something, also where nothing of it is due yet, or is stranded.

    Raises:
        RefusedError: No single one is meant, or it asks for nothing.
    """
    row = application_at(simulation, name)
    known = simulation.control_plane.view().application(row.number)
    explainer = explainer_of(simulation)
    asks = known is not None and (known.waits or explainer.priorities(row.number))
    if not asks and row.number not in stranded(simulation):
        rows = (*waits_of(simulation, row.number), *run_to_end(explainer.obstacles(row.number)))
        if not any(each.code in MORE_LATER and each.decided_by for each in rows):
            raise RefusedError("NotWaiting", f"{row.id} is not waiting at that instant{idle_words(rows)}")
    return row.number
