"""Lets time pass: drives a control plane, plays the nodes and applications before it, and records what happens.

`build` makes a `Simulation` of a scenario, with its control plane (`control_planes`) and `ground` (`scenario_ground`);
`simulation` is the front door; `world` holds all state, `ground` what never changes; `node_heartbeats`, `am_heartbeats`
and `passes` (background work) move it; `act_handlers` carries out acts; `run_export` replays, `realtime` follows the
wall clock. To add an act: a struct in `scenario.acts`, a function in `act_handlers`.
"""
