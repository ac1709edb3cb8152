"""Writes what the manual takes from the program: reference pages, the man page, schemas and pictures.

`make manual` writes the texts, `make pictures` the pictures. What is written is part of the repository, so that it
reads well on a code host; tests compare the texts with the program.
"""
