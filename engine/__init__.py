"""A model of a cluster, real scheduling policies on it, and a simulated clock; it knows nothing of terminals.

The map, from the ground up:

`errors`, `units`, `pieces` are what everything may use. `model` is what a control plane believes of its cluster, and
the only place where that changes. `scenario` describes a run as validated data. `schedulers` decide who gets what;
`workload` is what asks for it; the two meet only in the model. `control_plane` is the front door the real systems
have: events in, answers out. `formats` turns foreign files into our types. `simulation` lets time pass; `observe`
watches it: snapshot, journal, metrics. `run` plays a scenario with its operator and its expectations. `explain` says
why.

Imports go only down this list. Time is integer milliseconds since the epoch, memory integer MB. The same scenario,
seed and version give the same journal, byte for byte.
"""
