"""Preemption: which containers are to go so that every queue, user and application gets what it is owed."""
