"""Readers of files: each collects its problems with file, line, key and hint, and returns values of ours.

- Scenarios: `scenario_toml` reads and writes them, `scenario_files` finds them and what they name, `scenario_layers`
  lays one over another, `scenario_overrides` sets single keys, `scenario_references` and `scenario_faults` find what
  is wrong, `toml_lines` knows the lines, `file_schema` describes the files.
- Hadoop's properties (yarn-site.xml): `hadoop_configuration` with `property_elements`, `xml_include`, `substitution`
  (also of renamed keys).
- The allocation file: `fair_scheduler_xml` refuses files of other systems and chooses the reader of a release,
  `fair_scheduler_27` or `fair_scheduler_34`; `fair_scheduler_elements`, `_queues`, `_placement` and `_lint` are their
  parts. `fair_pools_xml` reads pools of MapReduce 1. `allocation_listing` says what it means,
  `queue_definition` writes one queue of it.
- The capacity scheduler's file: `capacity_listing` says what its properties mean, here and in the other release, with
  `capacity_limits`; `capacity_lint` warns.
- `configuration_files` reads all files of a cluster together; `cluster_lint` finds what hurts there, `lint_witness`
  shows it; `xml_tree` parses XML as Java does, `topology_table` the racks.
- `catalogue` reads what the chooser says of the packaged scenarios.
- `traces` reads workloads and logs of other systems and makes scenarios of them.
"""
