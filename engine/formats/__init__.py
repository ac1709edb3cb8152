"""Readers of files: each collects its problems with file, line, key and hint, and returns values of ours.

- Scenarios: `scenario_toml` reads and writes them, `scenario_files` finds them, `scenario_layers` lays one over
  another, `scenario_overrides` sets single keys, `scenario_references` and `scenario_faults` find what is wrong,
  `scenario_entry` writes one entry, `toml_lines` knows the lines.
- Hadoop's properties (yarn-site.xml): `hadoop_configuration` with `property_elements`, `xml_include`, `substitution`,
  `renamed_keys`; `scheduler_keys` are those that a scheduler reads.
- The allocation file: `fair_scheduler_xml` chooses the reader of a release, `fair_scheduler_27` or
  `fair_scheduler_34`; `fair_scheduler_elements`, `_names`, `_queues`, `_placement` and `_lint` are their parts.
  `foreign_allocations` knows files of Spark and MapReduce 1, `stray_text` finds text between elements.
  `allocation_listing` says what it means, `allocation_words` in words, `queue_definition` writes one queue of it.
- The capacity scheduler's file: `capacity_listing` says what its properties mean, with `capacity_limits`;
  `capacity_eras` compares it with the other release, `capacity_lint` warns.
- `catalogue` reads what the chooser says of the packaged scenarios.
- `traces` reads workloads and logs of other systems and makes scenarios of them.
- `configuration_files` reads all files of a cluster together; `xml_tree` parses XML as Java does, `topology_table`
  the racks.
"""
