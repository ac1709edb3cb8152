"""The Fair Scheduler of Hadoop 2.7.2.

`scheduler` is the front; `tree` holds the queues, `schedulable` what is ordered, `ordering` and `policies` say who
comes first, `shares` computes fair shares, `assignment` places containers, `running_limit` parks applications,
`preemption` takes back, `allocation` is the loaded file.
"""
