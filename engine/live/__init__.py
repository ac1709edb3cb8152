"""Real clusters on the same screens: what their servers answer, read and made into a snapshot.

- `rest_client`: asks the active one of several servers; `json_answers` reads what it answers; `failures`: what went
  wrong, in one sentence.
- `yarn_source`: a ResourceManager, round by round. `yarn_answers`: its answers as values; `yarn_queues`: the queues of
  each scheduler as rows; `yarn_picture`: a round as a snapshot; `inference`: why applications wait, as far as answers
  let one conclude.
- `followed_log`: the reservations that a ResourceManager's log says; `log_tail` reads its lines while it is written,
  `log_places` its files, here or on a server.
- `watched`: what is known from all rounds so far; `differences`: what happened between two; `alarm_rules`: alarms by
  rules that a user writes.
- `twin`: a scenario that stands as a cluster stands.

What a server does not say is `UNKNOWN`.
"""
