"""Documents as lines: why, fix, compare, tune, a drill and its debrief, alerts."""
