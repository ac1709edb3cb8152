"""Imitates the server that users and nodes talk to: ResourceManager, Spark Master, JobTracker.

Input is one event at a time (`handle(event, now_ms)`) or one background pass (`run_pass`). The answer holds decisions
in order, containers granted to an application master, masters to launch, containers that nodes must stop, or a
rejection with the name of the real exception. State is the model, the scheduler, application numbers, attempts, and
whether the server is up, recovering or down. A handler either completes or rejects; a rejection is a value in the
answer, and leaves no half-done work (only its application number is used up). While a ResourceManager is down every
event but its start is rejected. The simulation asks which events would change nothing, so that it may skip them; when
in doubt the answer is no. Observers read through `view()`, which answers for the moment it is asked.

Nothing here knows the simulated machines or the future.

To add one, implement `protocol.ControlPlane` and `cluster_view.ClusterView`, and register the view's kind in
`simulation`, `observe.snapshots` and `explain`; nothing else asks which control plane is behind a view.
"""
