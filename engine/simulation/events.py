"""Defines the events of the clock: plain tuples, and the one table of what comes first within an instant.

An event is `(time_ms, priority, order, kind, *details)`, integers throughout, so tuples compare by themselves and a
heap of them can be copied with `list`. `order` is a natural number of its kind (node, application, arrival), never a
running number: leaving out events that would change nothing cannot reorder the others.
"""

from typing import Final

Event = tuple[int, ...]
"""`(time_ms, priority, order, kind, *details)`."""

# Priorities within an instant.
OUTSIDE_ACTION: Final = 0
"""Priority of submissions of clients, faults and acts of operators."""
NODE_FACT: Final = 1
"""Priority of what happens on a node before the node reports it."""
POSTED: Final = 2
"""Priority of what the control plane posted to itself: a silent node expires."""
AM_HEARTBEAT: Final = 3
NODE_HEARTBEAT: Final = 4
PASS: Final = 5
"""Priority of background passes, in the control plane's order."""
END_OF_INSTANT: Final = 9
"""Priority after everything of an instant; no event has it."""

# Kinds: which handler an event goes to, and its details.
ARRIVAL: Final = 0
"""A client submits; order = its place among the arrivals."""
FAULT: Final = 1
"""A fault of the scenario; order = its place among the faults."""
CONTAINER_BEGINS: Final = 2
"""order = node; application, attempt, container."""
CONTAINER_ENDS: Final = 3
"""order = node; application, attempt, container, exit status."""
NODE_EXPIRES: Final = 4
"""order = node; the node's life it belongs to."""
AM_HEARTBEAT_DUE: Final = 5
"""order = application."""
ROUND: Final = 6
"""The cursor over all nodes arrives; order = node; whether it is known to have an effect."""
LONE_HEARTBEAT: Final = 7
"""One node reports while the cursor sleeps; order = node."""
PASS_RUNS: Final = 8
"""order = place among the passes."""
TASK_ENDS: Final = 9
"""A Spark task runs out; order = application; task, which try of it."""
DRIVER_DUE: Final = 10
"""order = application."""
APPLICATION_REGISTERS: Final = 11
"""A Spark driver on a worker registers its application; order = node; the driver's container."""
TRACKER_HEARTBEAT: Final = 12
"""A TaskTracker reports; order = node."""
NODE_RECONNECTS: Final = 14
"""A node without contact tries to reach a ResourceManager; order = node."""
RESOURCE_MANAGER_STARTS: Final = 15
"""A ResourceManager is there again."""
RECOVERY_DUE: Final = 16
"""A wait of a ResourceManager that recovers is over."""
MASTER_EXPIRES: Final = 17
"""order = application; the attempt whose master is silent."""
JOB_TRACKER_STARTS: Final = 18
"""A JobTracker is there again."""
NODE_MANAGER_STARTS: Final = 13
"""A node manager that was stopped starts again; order = node."""
