"""The twin of a cluster: from a snapshot and the configuration a scenario that stands as the cluster stands.

`cluster_holdings` finds which containers run where and which nodes are reserved for which application, as the source
names them (also those that have not begun), else inferred from totals. `applications` makes each application with its
asks, containers and reservations, and how long they run on, which is not known, is an assumption. `twin` adds
scheduler, settings and queues, inferred where there is no file of them, and lists everything that was assumed.

Only clusters of YARN have a twin. It is built once of one snapshot, and never asks the cluster.
"""
