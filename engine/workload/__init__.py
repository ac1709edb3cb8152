"""Application masters as state machines: they ask for containers, hold and lose them, ask again and end.

To add a kind: a spec in `scenario.applications`, a subclass of `master.ApplicationMaster` here, a line in
`arrivals.MASTERS`.
"""
