"""Where time passes: the one place that drives a control plane, plays its cluster and keeps what happened.

`build` makes a `Simulation` of a scenario; `simulation` is the front door; `world` holds all state; `rounds` (node
heartbeats), `calls` (application masters) and `passes` (background work) move it; `interventions` says what each
outside action does; `history` replays, `pace` follows the wall clock. To add an action: a Struct in `actions`, a line
in the table of `interventions`.
"""
