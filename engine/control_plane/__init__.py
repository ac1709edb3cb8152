"""What a cluster's users and nodes talk to: a ResourceManager or a Spark Master behind one protocol.

To add one, implement `protocol.ControlPlane`; the simulation needs nothing else.
"""
