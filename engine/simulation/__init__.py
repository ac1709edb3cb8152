"""Lets time pass.

The input is a built scenario and acts (`Simulation.act`). The state is a `World`: clock, node managers and masters as
they really are, and the control plane, which holds its own view of them. The clock is a heap of integer tuples `(time,
priority, order, kind, ...)`; one table fixes the order within an instant (outside acts, node facts, expiries,
heartbeats of masters, heartbeats of nodes, passes). `HANDLERS` maps a kind to a function that sends an event to the
control plane and applies the answer. Output: records, delivered to listeners at the end of each instant; a listener
must not change anything. A simulation is plain data and can be copied, in slices if need be; the copy starts over if
the original moves meanwhile. A *closed* copy has no future arrivals and faults. Idle heartbeats and passes are
skipped, and restarted when the model's `version` changes; the journal is the same as without skipping.

No closure, generator or thread is state, and nothing here reads the wall clock. The same scenario, seed and acts give
the same records on every machine. To add an act: a struct in `scenario.acts`, a function in `act_handlers`.
"""
