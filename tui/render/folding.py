"""Sentences folded into lines of a width, wide characters counted as two."""

from collections.abc import Iterator

from rich.cells import cell_len


def folded(words: str, width: int) -> list[str]:
    """The lines of a sentence, at least one; a word longer than a line is broken.

    >>> folded("queue root.a uses all of it", 12), folded("application_15", 10)
    (['queue root.a', 'uses all of', 'it'], ['applicatio', 'n_15'])
    """
    lines = [""]
    for word in words.split():
        for piece in _pieces(word, max(2, width)):
            joined = f"{lines[-1]} {piece}" if lines[-1] else piece
            if cell_len(joined) <= width or not lines[-1]:
                lines[-1] = joined
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word in pieces that fit."""
    piece = ""
    for sign in word:
        if cell_len(piece + sign) > width:
            yield piece
            piece = ""
        piece += sign
    yield piece
