"""Traces of real clusters and of other simulators, read into applications, and written for other programs.

A file is recognised by its content (`formats`), opened and unpacked in pieces (`source`), and read by one module per
origin, each of which yields `application.TraceApplication` as it reads on: nothing holds a whole file. What a trace
lacks is inferred by the numbers of `application.MappingRules`; `report` counts what was read, inferred and dropped, and
keeps the first problems. A log of a ResourceManager becomes a timeline (`rm_log`, `rm_log_reader`, `rm_timeline`), from
which its cluster can be shown at any instant. `to_scenario` makes a scenario that can be played, with the nodes and
queues of `trace_cluster`; `exports` goes back and describes a workload.

A faulty line never ends an import: it is reported and reading goes on. Nothing that a trace does not say is passed on
as if it did.
"""
