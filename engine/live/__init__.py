"""Real clusters on the same screens: what their servers answer, read and made into a snapshot.

- `yarn_answers`: the answers of a ResourceManager's REST interface as values.
- `yarn_queues`: the queues of each scheduler's answer as rows; `yarn_picture`: a round of answers as a snapshot.
- `inference`: why applications wait, as far as answers let one conclude.
- `yarn_source`: asks, round by round, the active server of a pair; `failures`: what went wrong, in one sentence.
- `watched`: what is known from all rounds so far; `differences`: what happened between two; `alarm_rules`: alarms by
  rules that a user writes.

What a server does not say is `UNKNOWN`.
"""
