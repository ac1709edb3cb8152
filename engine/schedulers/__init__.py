"""Policies: who gets what of a cluster.

A scheduler decides and applies through the cluster's mutators, in the real one's order, and says what it did as a list
of decisions. It never sees an application master. To add a policy: extend `YarnScheduler`, name it in `registry`.
"""
