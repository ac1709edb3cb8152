"""Pasts that were recorded and not simulated: what a cluster was, as snapshots in order of time.

- `series`: what every such past can be asked.
- `log_facts`: what a ResourceManager's log says of states, queues and sizes; `log_cluster`: a snapshot of any instant;
  `log_records`: what happened, in the words of a simulation; `log_history`: counts over time; `log_series`: all of it
  as a series.
- `kept_polls`: polls of a live cluster as a series. `polls_writer` keeps them, `polls_file` is their form on disk and
  cuts off what is damaged, `frames` a snapshot or its difference from the one before, `polls_index` what is known of
  them without frames.
"""
