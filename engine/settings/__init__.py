"""Settings of every simulated scheduler: name, meaning, default, unit, parser, fallback and source, once each.

A setting is named by a typed constant (`USER_LIMIT_FACTOR`), never by its text. Each scheduler and release has one
`Table`, which readers, lint, forms, explanations and documentation share.
"""
