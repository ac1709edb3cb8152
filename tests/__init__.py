"""The tests mirror the tree; `oracle` replays recorded cases of the real schedulers, `bench` measures.

`traces` checks the importers against files that are not part of the repository.
"""
