"""Real clusters on the same screens: what their servers answer, read and made into a snapshot.

- `yarn_answers`: the answers of a ResourceManager's REST interface as values.
- `yarn_queues`: the queues of each scheduler's answer as rows.
- `yarn_picture`: one round of answers as a snapshot.
- `spark_answers`: the same for Spark's standalone Master.

What a server does not say is `UNKNOWN`. Nothing here waits or opens a connection.
"""
