"""A simulation that answers as a ResourceManager does, of 2.7.2 or 3.4.1: questions in, documents out.

`served` holds the simulation that is asked and what only its records say; `ServedPace` lets its time pass. A resource
(`cluster`, `apps`, `attempts`, `scheduler`, `beans`) is a table of its fields, each with the release that has it and
how it is read; `wire` writes documents as JSON or XML, reads what clients send, and refuses in the words of the
release. `answers` says which question goes where, carries out what changes the cluster, and needs no socket.

Everything but the pace is a pure function of the simulation at an instant. A question never changes the cluster,
and an act never happens in the middle of an instant.
"""
