"""Pure renderers, one file per noun: rows of a snapshot in, styled lines out; no widget, no app, no clock."""
