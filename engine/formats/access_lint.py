"""Access lists of the capacity scheduler that keep nobody out.

Whoever may submit to a queue or administer it, or one above it, may submit; root is open to everybody unless it says
otherwise, other queues to nobody.

Source: RMAppManager, AbstractCSQueue#hasAccess, CapacitySchedulerConfiguration#getAcls, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator, Mapping, Sequence

from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.model.java_values import setting_boolean
from engine.model.request import upwards
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.settings.capacity_queue import ADMINISTER_ACL, SUBMIT_ACL
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.site import ACL_ENABLE

_RIGHTS = (SUBMIT_ACL, ADMINISTER_ACL)


def access_findings(settings: HadoopConfiguration, rows: Sequence[CapacityQueueRow]) -> Iterator[Finding]:
    """Lists that are not looked at, and lists of queues that are open all the same."""
    values = settings.values
    stated = [
        (right, row.path) for row in rows for right in _RIGHTS if values.get(right.of(row.path), "*").strip() != "*"
    ]
    if not stated:
        return
    keys = [right.of(path) for right, path in stated]
    for key in keys:
        users, _, groups = values[key].strip().partition(" ")
        if users.endswith(",") and groups.strip():
            message = f"a blank ends the list of users: {groups.strip()} is taken for groups"
            yield found_at(settings, "blank-in-list", key, message, "no blank after a comma")
    has_site = any(not key.startswith(PREFIX) for key in values)
    if has_site and not setting_boolean(values.get(ACL_ENABLE.name), False):
        others = f", as for {len(keys) - 1} more" if len(keys) > 1 else ""
        message = f"keeps nobody out{others}: {ACL_ENABLE.name} is not true"
        yield found_at(settings, "acl-off", keys[0], message, f"{ACL_ENABLE.name}=true")
        return
    told: set[tuple[str, str]] = set()
    for right, path in stated:
        openers = _openers(values, path, submits=right is SUBMIT_ACL)
        if path == "root" or not openers or (right.name, openers[0]) in told:
            continue
        told.add((right.name, openers[0]))
        queue = openers[0].removeprefix(PREFIX).rpartition(".")[0]
        names = " and ".join(openers)
        message = f"keeps nobody out: {queue} is open to everyone, and its child queues inherit that"
        yield found_at(settings, "acl-open", right.of(path), message, f"{names}: one blank is nobody")


def _openers(values: Mapping[str, str], path: str, *, submits: bool) -> list[str]:
    """The lists, of a queue and those above it, by which everybody may use it; those of root first."""
    rights = _RIGHTS if submits else (ADMINISTER_ACL,)
    keys = [(right.of(each), "*" if each == "root" else " ") for each in [*upwards(path)][::-1] for right in rights]
    return [key for key, default in keys if values.get(key, default).strip() == "*"]
