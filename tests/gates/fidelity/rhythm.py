"""The rhythm of a process that beats once a second, some beats a few ms late."""

from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple, Self

BEAT_MS: Final = 1_000


class Rhythm(NamedTuple):
    """When in each second after an instant it beats."""

    from_ms: int
    """[epoch ms]"""
    phase_ms: int

    @classmethod
    def of(cls, instants_ms: Sequence[int], from_ms: int) -> Self:
        """The rhythm of which these are beats: half of them came sooner, half later.

        >>> Rhythm.of([1_490, 2_491, 4_492, 5_510], 400).phase_ms
        92
        """
        first = cls(from_ms, (instants_ms[0] - from_ms) % BEAT_MS)
        late_ms = round(median(each - first.due_ms(each) for each in instants_ms))
        return cls(from_ms, (first.phase_ms + late_ms) % BEAT_MS)

    def due_ms(self, instant_ms: int) -> int:
        """When the beat was due that came at an instant: the nearest [epoch ms].

        >>> Rhythm(400, 90).due_ms(4_505)
        4490
        """
        half_ms = BEAT_MS // 2
        return instant_ms - (instant_ms - self.from_ms - self.phase_ms + half_ms) % BEAT_MS + half_ms

    def last_ms(self, instant_ms: int) -> int:
        """The last beat that was due before an instant or at it [epoch ms]."""
        return instant_ms - (instant_ms - self.from_ms - self.phase_ms) % BEAT_MS
