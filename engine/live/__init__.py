"""Real clusters on the same screens: what their servers answer, read and made into a snapshot.

- `rest_client`: asks the active one of several servers; `json_answers` reads what it answers; `failures`: what went
  wrong, in one sentence.
- `yarn_source`: a ResourceManager, round by round. `yarn_answers`: its answers as values; `yarn_queues`: the queues of
  each scheduler as rows; `yarn_picture`: a round as a snapshot; `yarn_settings`, `yarn_beans`, `yarn_activities`: what
  other pages of it say.
- `scene`: what stands in the way of an ask, and how sure that is; `inference`: that in a sentence for each application;
  `live_why`: all of it as a document.
- `spark_source`: a Spark Master and its workers; `spark_answers`, `spark_picture` as above.
- `followed_log`: the reservations that a ResourceManager's log says; `log_tail` reads its lines while it is written,
  `log_places` its files, here or on a server.
- `watched`: what is known from all rounds so far, and what happened between two; `alarms`: which stand, by the rules
  that a user writes (`alarm_rules`), and whether the cluster is frozen (`standstill`).
- `twin`: a scenario that stands as a cluster stands.

What a server does not say is `UNKNOWN`.
"""
