"""A disk that is full soon, as far as a process can have one for itself."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def small_disk(largest: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
