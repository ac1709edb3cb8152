"""Traces of real clusters and of other simulators, read into applications.

- `application` is what every reader yields; `rules` are the numbers by which what a trace lacks is inferred.
- Readers: `sls` (and Rumen), `synth`, `swim`, `swf`, `rm_apps_json`, `spark_event_log`, `job_history`, `openb`,
  `sacct`, `application_list`. Each yields applications as it reads on; nothing holds a whole file.
- `resource_manager_log` reads logs of a ResourceManager: `rm_log_lines` is one line, `rm_log_messages` says which
  count, `rm_log_reader` builds the timeline of them, `rm_log_nodes` and `rm_reservations` their part of it;
  `rm_timeline` is the plain value.
- `formats` recognises a file by its content, `source` opens it and unpacks it, `json_objects` splits a stream of JSON.
- `read` reads several files, `selection` takes a part, `report` collects what is to be said of it.
- `to_scenario` makes a scenario that can be played, with the queues of `trace_queues`; `from_scenario` goes back, for
  `exports`, which writes for other programs. `statistics` describes a workload.
"""
