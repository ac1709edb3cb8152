"""Readers of files: text in, values of ours out, and every problem with file, line, key and hint at once.

A file is opened and decoded by `regular_files`, XML is parsed as Java does (`xml`), properties are merged with their
variables replaced (`hadoop_configuration`). A scenario is TOML in layers (`scenario_toml`): what it extends, the file,
single keys set on top; `scenario_references` checks what its names refer to. An allocation file goes to the reader of
its release (`fair_files`, with `fair_elements` and `fair_placement`); pools of MapReduce 1 are read there too. The two
listings (`capacity_listing`, `fair_listing`) say what files mean to a scheduler: each queue's values, with the place
they come from. `configuration_files` reads all files of a cluster together. The lints look at what was read and warn
of what hurts; `named_problems` gives every problem the name by which it is ignored. `traces` reads workloads and logs
of other systems and makes scenarios of them.

A reader never runs anything, never asks the network, and never stops at the first problem. What it refuses is what
the real class refuses, under the name of the real exception.
"""
