"""A simulation that answers as a ResourceManager does, of 2.7.2 or 3.4.1: questions in, documents out.

- `release`: how the two releases differ everywhere; `fields`: a resource as a table of its fields, and
  amounts as fields.
- `served`: the simulation that is asked, and `past`: what only its records say.
- `cluster`, `nodes`, `apps`, `attempts`, `scheduler_fair`, `scheduler_capacity`, `scheduler_fifo`, `beans`: one
  resource each.
- `exposition`: the figures of `beans` as Prometheus reads them.
- `filters`: what a question may ask for; `errors`: how a server refuses; `acts`: what changes the cluster.
- `answers`: which question goes where; `http`: both without a wire, and pages for people.
- `bodies`: a document as bytes; `apps_writer`: the applications of a run as one.
- `pace`: lets the time of the simulation pass.

Everything but `pace` is a pure function of the simulation at an instant.
"""
