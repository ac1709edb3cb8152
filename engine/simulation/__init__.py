"""Where time passes: the one place that drives a control plane, plays its cluster and keeps what happened.

`build` makes a `Simulation` of a scenario; `simulation` is the front door; `world` holds all state, `ground` what never
changes; `node_heartbeats`, `am_heartbeats` and `passes` (background work) move it; `action_handlers` says what each
outside action does; `run_export` replays, `realtime` follows the wall clock. To add an action: a Struct in `actions`, a
line in the table of `action_handlers`.
"""
