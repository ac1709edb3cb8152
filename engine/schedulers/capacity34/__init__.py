"""The CapacityScheduler of Hadoop 3.4.1 (`capacity-3.4`).

`scheduler` is the front. Configuration: `settings` of the whole scheduler, `queue_settings`, `leaf_settings` and
`capacity_text` of a queue; `tree` builds and reloads queues, `queue_setup` and `capacities` compute what they may use.
State: `queue`, `leaf`, `users`, `attempt`; `space` is what there is to share.

An offer: `walk` goes down the queues in the order of `queue_order` and `application_order`, `limits` go with it,
`evaluation` answers for one ask on one node, `commit` asks once more and acts. `probe` asks the same, changing nothing.

Admission: `admission`, `placement`, `mapping_rules`, `queue_names`, `parallel_limit`, `moving`; queues made on request
are in `dynamic_queues` and `managed_parent`. Nodes: `node_changes`, `overcommit`. Passes: `preemption`, `upkeep`.
"""
