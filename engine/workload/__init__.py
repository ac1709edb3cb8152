"""Application masters as state machines: they ask, hold, lose, ask again and end; supply is none of their business.

To add a kind: a spec in `scenario.applications`, a subclass of `master.ApplicationMaster` here, a line in
`arrivals.MASTERS`.
"""
