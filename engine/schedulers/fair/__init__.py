"""The Fair Scheduler as of Hadoop 2.7.2."""
