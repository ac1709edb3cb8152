"""Spark standalone scheduling: drivers first, then executors, application by application in order of arrival.

`assignment` is pure; `scheduling_pass` applies it to a `SparkCluster` in the real order;
`plan_steps` shows, step by step, which worker got the next cores and why the others did not. A new worker selection
policy is one line in `scheduling_pass`. Source: Master#schedule, Spark 4.x.
"""
