"""The CapacityScheduler of Hadoop 2.7.2 (`capacity-2.7`).

`scheduler` is the front. `configuration` reads the properties; `queues` holds the state of a queue and its users,
`tree` builds, reloads and finds queues. `limits` computes what a queue, a user and an application master may use.
`evaluation` says what an ask would get on a node, without changing anything; `queue_walk` walks the queues and acts on
it. `activation` decides which applications may run, `preemption` what is taken back.
"""
