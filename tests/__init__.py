"""The tests mirror the tree; `oracle` replays recorded cases of the real schedulers, `bench` measures."""
