"""The CapacityScheduler of Hadoop 2.7.2."""
