"""What somebody may do to a cluster, by noun: the key, the question, the command and the act it makes."""
