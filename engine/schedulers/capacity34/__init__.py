"""The CapacityScheduler of Hadoop 3.4.1, the policy `capacity-3.4`; `scheduler` puts its parts in their order."""
