"""What the CapacityScheduler of every release needs: amounts, and properties of a configuration.

`space` is what there is to share, in amounts; `asynchronous` offers nodes outside their heartbeats.
"""
