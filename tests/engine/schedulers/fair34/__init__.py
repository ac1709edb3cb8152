"""What only the Fair Scheduler of 3.4.1 does."""
