"""A watched simulation with a faulty network and server between: a day of rounds, replayed fast by a stepped clock."""
