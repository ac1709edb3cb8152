"""Application masters as state machines: they ask for containers, hold and lose them, ask again and end.

Some live for one job (`mapreduce`, `spark`), some keep containers between jobs for a while (`tez`, `spark_dynamic`),
some stay (`service`); `lifespan` names these kinds.

To add a kind: a spec in `scenario.applications`, a subclass of `master.ApplicationMaster` here, a case in
`arrivals.master_of`.
"""
