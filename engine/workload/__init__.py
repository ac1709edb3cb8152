"""Application masters as state machines: they create the demand.

The simulation calls `registered`, then `call(now_ms)` at each master's heartbeat, `take(grant)` for each container,
and `note_end` for each container that ended. State: a stage (WAITING to GONE, table `STAGES`), the containers still
wanted by priority and resource name, and what the server believes is wanted. A call sends only keys where the two
differ; a call with nothing to say may be skipped. `take` returns how long the container will run, or None if the
master has no use for it. Subclasses (MapReduce, Spark, Tez, service, scripted) say what they want, what a grant is for
and what a lost container means. Durations come from the scenario or from random streams seeded by it, one per source,
so that one source never shifts another.

A master never sees queues, free memory or the scheduler; it learns only what its answers contain.

To add a kind: a spec in `scenario.applications`, a subclass of `master.ApplicationMaster`, a case in `master_of`.
"""
