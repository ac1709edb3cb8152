"""The Fair Scheduler of Hadoop 3.4.1; what it shares with that of 2.7.2 is in `schedulers.fair`.

Demand and shares are as of the last update pass, the order of queues and applications is made anew for every offer,
starvation belongs to applications, and preemption picks containers for their asks. `scheduler` is the front;
`admission` lets applications in, `queue_manager` makes and configures queues, `rules` answer whether an ask gets a
node, `assignment` does what they answer, `node_promises` keeps what was taken back for which application.
"""
