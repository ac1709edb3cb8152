"""The Fair Scheduler of Hadoop 3.4.1: what differs from 2.7.2; what both share is in `schedulers.fair`.

Demand and shares are as of the last update pass, the order of queues and applications is made anew for every offer,
starvation belongs to applications, and preemption picks containers for their asks.
"""
