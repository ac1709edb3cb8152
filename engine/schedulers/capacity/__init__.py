"""What the CapacityScheduler of every release needs: amounts, and properties of a configuration."""
