"""What the parts of the main screen share: which panes it has, what is marked, sorted and filtered."""
