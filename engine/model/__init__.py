"""The control plane's own view of a cluster, and the only code that changes it.

Schedulers and event handlers call mutators (`add_node`, `update_requests`, `allocate`, `reserve`, `end`, `vacate`).
The cluster holds nodes in joining order, live applications, the last 1,000 finished ones, and totals. An attempt holds
its requests by priority and its live containers; a node holds its containers and at most one reservation.

There are two ledgers. *Charge* is what queue, user and application pay for; *placement* is what a node has not
released. `end` removes a container from the first, `vacate` from the second: at once in Hadoop 2.7, when the node
reports in 3.x. State changes follow the tables in `lifecycle`; an illegal one raises `InvariantError`, which is always
our bug. `version` grows with every change that could alter a decision, so callers may skip an offer that changed
nothing at the same version. `mr1` and `spark` do the same for a JobTracker and a Spark Master.

Nothing here reads a clock (times are arguments), decides what an application gets, or knows how the simulated machines
are.
"""
