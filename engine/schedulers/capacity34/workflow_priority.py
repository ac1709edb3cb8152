"""Priorities of applications by the workflow that their tags name.

A mapping is `workflow:queue:priority`; the one of the nearest queue on the way up counts, the root's never does.

Source: WorkflowPriorityMappingsManager, Hadoop 3.4.1.
"""

import re
from collections.abc import Collection
from typing import Final

from engine.model.java_values import parse_int, trim
from engine.schedulers.capacity.properties import ILLEGAL_ARGUMENT, Properties
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.settings.capacity_scheduler import WORKFLOW_MAPPINGS, WORKFLOW_OVERRIDE
from engine.settings.monitor import TAG_PREFIX

MAPPINGS: Final = WORKFLOW_MAPPINGS.everywhere


class WorkflowPriorities:
    """The mappings of one configuration."""

    __slots__ = ("by_queue", "enabled", "tag_prefix")

    def __init__(self, properties: Properties) -> None:
        self.enabled = properties.everywhere(WORKFLOW_OVERRIDE)
        self.tag_prefix = properties.text(TAG_PREFIX.name) or properties.table.default(TAG_PREFIX)
        self.by_queue: dict[tuple[str, str], int] = {}
        """(path of a queue, workflow in lower case) → priority."""
        for text in re.split(r"\s*[,\n]\s*", trim(properties.text(MAPPINGS) or "")):
            if text:
                self._read(text, properties)

    def _read(self, text: str, properties: Properties) -> None:
        parts = [trim(part) for part in text.split(":") if trim(part)]
        try:
            workflow, queue, number = parts
            self.by_queue[queue, workflow.lower()] = parse_int(number)
        except ValueError:
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{text!r} is not workflow:queue:priority", MAPPINGS)

    def of(self, tags: Collection[str], queue: CapacityQueue) -> int | None:
        """The priority for an application with some tags in a leaf; None where no mapping is about it."""
        if not self.enabled:
            return None
        workflow = ""
        for tag in map(trim, sorted(tag.lower() for tag in tags)):
            if tag.startswith(self.tag_prefix):
                workflow = tag.removeprefix(self.tag_prefix)
        above: CapacityQueue | None = queue
        while workflow and above is not None and above.parent is not None:
            priority = self.by_queue.get((above.path, workflow))
            if priority is not None:
                return priority
            above = above.parent
        return None
