"""Default node labels of queues that may use nothing of the partition.

Source: AbstractCSQueue#canAssignToThisQueue, QueueCapacities, SchedulerUtils#validateResourceRequest, Hadoop 2.7.2.
"""

from collections.abc import Iterator, Sequence

from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.queue import upwards
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.settings.capacity_queue import ACCESSIBLE_LABELS, CAPACITY, DEFAULT_LABEL
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.kind import SINGLE
from engine.settings.monitor import LABELS_ENABLED


def partition_findings(
    settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow], properties: Properties
) -> Iterator[Finding]:
    """Leaves all of whose applications ask in a partition where nothing is theirs; each key that says so once."""
    if LABELS_ENABLED.name in settings.values and not properties.everywhere(LABELS_ENABLED):
        return
    told: set[str] = set()
    for row in rows:
        key = _stating(settings, DEFAULT_LABEL.name, row.path)
        label = settings.values.get(key, "").strip()
        if not row.is_leaf or not label or key in told:
            continue
        accessible = settings.values.get(_stating(settings, ACCESSIBLE_LABELS.name, row.path), "")
        names = {each.strip() for each in accessible.split(",")}
        if row.path != "root" and not names & {"*", label}:
            told.add(key)
            message = f"{row.path} may not use the partition {label}: every application that names no label is refused"
            yield found_at(settings, "default-label-barred", key, message, f"{ACCESSIBLE_LABELS} of the queue: {label}")
            continue
        empty = [each for each in [*upwards(row.path)][::-1] if not _has_part(properties, each, label)]
        if empty:
            told.add(key)
            keys = " and ".join(CAPACITY.of(each, label) for each in empty)
            message = (
                f"{row.path} has no capacity in the partition {label}: its applications ask there, and none starts"
            )
            yield found_at(settings, "no-partition-capacity", key, message, f"state {keys}, e.g. 100")


def _stating(settings: HadoopConfiguration, name: str, path: str) -> str:
    """The key that states a setting for a queue: its own, or that of the nearest one above; empty for none."""
    return next((key for each in upwards(path) if (key := f"{PREFIX}{each}.{name}") in settings.values), "")


def _has_part(properties: Properties, path: str, label: str) -> bool:
    text = properties.values.get(CAPACITY.of(path, label), "").strip()
    return text.startswith("[") or text.endswith("w") or properties.parsed(CAPACITY.of(path, label), SINGLE, 0.0) > 0
