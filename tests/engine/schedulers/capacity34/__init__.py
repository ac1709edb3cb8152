"""The CapacityScheduler of Hadoop 3.4.1."""
