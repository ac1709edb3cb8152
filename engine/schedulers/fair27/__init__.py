"""The Fair Scheduler of Hadoop 2.7.2; what it shares with that of 3.x is in `schedulers.fair`.

`scheduler` is the front; `queue_manager` makes and configures queues, `rules` answer whether an ask gets a node,
`assignment` does what they answer, `update` computes demand and shares, `preemption` takes containers back.
"""
