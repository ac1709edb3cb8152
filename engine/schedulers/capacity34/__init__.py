"""The CapacityScheduler of Hadoop 3.4.1 (`capacity-3.4`).

`scheduler` is the front. Configuration: `settings` of the whole scheduler, `queue_settings`, `leaf_settings` and
`capacity_text` of a queue; `tree` builds and reloads queues, `queue_setup` and `capacities` compute what they may use,
in the flexible queue mode `flexible_capacities`, from `capacity_vector`.
State: `queue`, `leaf`, `users`, `attempt`; `space` is what there is to share.

An offer: `walk` goes down the queues in the order of `queue_order` and `application_order`, `limits` go with it,
`evaluation` answers for one ask on one node, `commit` asks once more and acts. `probe` asks the same, changing nothing.
With `multi_node` placement a heartbeat is about all nodes of a partition.

Admission: `admission`, `placement`, `mapping_rules`, `workflow_priority`, `parallel_limit`, `moving`;
queues made on request, and removed again, are in `dynamic_queues` and `managed_parent`. Nodes: `node_changes`.
Passes: `preemption`.
"""
