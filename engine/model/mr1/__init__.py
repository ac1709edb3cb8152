"""A MapReduce 1 cluster as its JobTracker believes it: trackers with slots, jobs, tasks and their attempts.

`cluster` is the whole. `job_in_progress` and `task_in_progress` hold what a job and a task are at, `task_search` finds
a job's next task for a tracker, `attempt_reports` applies what trackers report. Source: org.apache.hadoop.mapred,
Hadoop 1.2.1; classes keep the names they have there.
"""
