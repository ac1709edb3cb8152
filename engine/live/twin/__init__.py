"""The twin of a cluster: from a snapshot and the configuration a scenario that stands as the cluster stands.

- `assumptions`: what nobody knows, and what is taken for it.
- `holdings`: which containers run where: as the source names them, else inferred from the totals of nodes and
  applications (`inferred_holdings`).
- `reservations`: which nodes are reserved for whom: as the source names them, else inferred.
- `applications`: each application with its asks, containers and reservations.
- `configuration`: scheduler, settings and queues; `inferred_queues` where there is no file of them.
- `twin`: all of it as a scenario, with a list of what was assumed.

Only clusters of YARN have a twin.
"""
