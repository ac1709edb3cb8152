"""What somebody may do to a cluster, by what it is done to: the key, the question, the command and the act it makes."""
