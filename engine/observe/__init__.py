"""Reads a running engine and never changes it.

Two kinds of input: records (listeners such as `Journal` and `History`) and the control plane's views. Output: a
`Snapshot` at one instant (header and sections of rows), the journal, series for graphs, and the log of a
ResourceManager. `snapshots` is the only place that selects the builder for YARN, Spark or MapReduce 1. A section is
built when it is asked for and its rows when they are read, so 10,000 nodes with 40 visible cost 40 rows; rows must be
read before the cluster moves on. Amounts are tuples with one int per dimension. Obstacles are expensive (they look at
every node), so `ObstacleCache` finds them in slices and keeps them per attempt. Screens, JSON and the live and
recorded sources all use the same rows.

A value that the source cannot tell is `UNKNOWN`, never 0.
"""
