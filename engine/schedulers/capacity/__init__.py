"""Shared parts of the CapacityScheduler of every release: amounts, and properties of a configuration.

`space` is what there is to share, in amounts; `asynchronous` offers nodes outside their heartbeats.
"""
