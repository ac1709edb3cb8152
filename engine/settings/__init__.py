"""Settings of every simulated scheduler: name, meaning, default, unit, parser, fallback and source, once each.

A setting is named by a typed constant (`USER_LIMIT_FACTOR`), never by its text. Each scheduler and release has one
`Table` of `Key` rows, which readers, lint, forms, explanations and documentation share. A key may stand for the whole
scheduler, for each queue, or for both, one being the default of the other; its `kind` reads the text as the real class
does, hexadecimal numbers, units and wrong values included. `known` tells of any text whether a scheduler reads it and
which name is nearest; `tunable_yarn` says of a setting what it governs, who can change it and what that risks, from
which `why` and `fix` take their proposals.

Nothing here reads a file or knows a cluster. A default is the real one; keys under `schedlab.` are ours.
"""
