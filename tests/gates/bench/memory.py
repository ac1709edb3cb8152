"""How much memory this process has needed."""

import resource
import sys


def peak_memory_mb() -> int:
    """The most memory this process ever held [MB]."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 1024)
