"""One screen per file: which widgets, in which order, under which keys."""
