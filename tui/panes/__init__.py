"""Pure renderers, one file per kind of row: rows of a snapshot in, styled lines out; no widget, no app, no clock."""
