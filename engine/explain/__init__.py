"""Why something waits, whether it will ever run, and what would have helped: asked of copies, so nothing is changed."""
