"""Checks of the importers against files that are not part of the repository."""
