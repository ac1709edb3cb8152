"""Pasts that were recorded and not simulated: what a cluster was, as snapshots in order of time.

Two kinds answer as one `log_series.SnapshotSeries`: a snapshot at an instant, records up to one, graphs, alerts, and
the instants worth going to. A log of a ResourceManager is read whole: `log_records` turns its timeline into the records
of a simulation, and `log_series` builds the cluster of any instant from them, with what the log leaves out inferred
and marked. Polls of a live cluster are kept while it is watched (`polls_writer`): a file's parts (`polls_file`) hold
keyframes and differences, so that room stays bounded and old parts can be deleted.

A recorded past never goes on by itself and takes no acts. What its source did not say is `UNKNOWN`. A program that is
killed loses at most the poll it was at; a damaged part costs only itself.
"""
