"""What a user may do to a cluster, by kind of object: the key, the question, the command and the act it makes."""
