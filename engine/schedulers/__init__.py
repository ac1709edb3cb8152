"""Policies: who gets what of a cluster.

A scheduler decides and applies through the cluster's mutators, in the real one's order, and says what it did as a list
of decisions. It never sees an application master.

`interface` is what the outside needs of a YARN scheduler, `optional_operations` what only some have; `containers`,
`one_queue`, `calculator` and `settings` are the parts that all policies share, per release. To add a policy: write one
class that holds these parts and has the methods of `interface.YarnScheduler`, and name it in `registry`; `fifo` is the
smallest example. `spark` and `mr1` are the policies of other control planes.
"""
