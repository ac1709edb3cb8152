"""The three schedulers of a JobTracker: which tasks a tracker gets with its heartbeat.

`fifo` is JobQueueTaskScheduler, `fair*` FairScheduler, `capacity*` CapacityTaskScheduler; a JobTracker chooses one by
name. They see jobs and trackers of `engine.model.mr1`. Source: org.apache.hadoop.mapred and contrib, Hadoop 1.2.1.
"""
