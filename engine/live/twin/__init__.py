"""The twin of a cluster: from a snapshot and the configuration a scenario that stands as the cluster stands.

- `assumptions`: what nobody knows, and what is taken for it.
- `cluster_holdings`: which containers run where and which nodes are reserved for whom, as the source names them
  (`holdings`, also of those that have not begun), else inferred from totals (`inferred_holdings`, `reservations`).
- `applications`: each application with its asks, containers and reservations.
- `configuration`: scheduler, settings and queues, inferred where there is no file of them.
- `twin`: all of it as a scenario, with a list of what was assumed; `simulated`: of a simulation.

Only clusters of YARN have a twin.
"""
