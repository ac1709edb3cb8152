"""Foreign files and our types: every reader collects its problems with file, line, key and hint."""
