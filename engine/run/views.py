"""The picture each kind of control plane gives of itself."""

from engine.control_plane.protocol import ControlPlane
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_master import SparkMaster
from engine.observe.obstacle_cache import Whys
from engine.observe.releases import Releases
from engine.observe.snapshot import Snapshot
from engine.observe.spark_view import spark_snapshot
from engine.observe.yarn_view import yarn_snapshot


def snapshot_of(
    control_plane: ControlPlane, now_ms: int, whys: Whys | None = None, releases: Releases | None = None
) -> Snapshot:
    """The cluster as its control plane believes it to be at an instant [epoch ms].

    With `whys` a ResourceManager's picture tells why applications wait as far as is known, and never takes long; with
    `releases` who frees reserved nodes, as far as that is known.

    Raises:
        TypeError: There is no view of this kind of control plane.
    """
    if isinstance(control_plane, ResourceManager):
        return yarn_snapshot(control_plane, now_ms, whys, releases)
    if isinstance(control_plane, SparkMaster):
        return spark_snapshot(control_plane, now_ms)
    raise TypeError(f"there is no view of a {type(control_plane).__name__}")
