"""Control planes: the ResourceManager, Spark Master or JobTracker that users and nodes of a cluster talk to.

To add one, implement `protocol.ControlPlane` and `cluster_view.ClusterView`, and register the view's kind in
`simulation.control_planes`, `simulation.build`, `observe.snapshots` and `explain`; nothing else asks which control
plane is behind a view. A policy behind the ResourceManager implements `schedulers.scheduler_view.PolicyView`.
"""
