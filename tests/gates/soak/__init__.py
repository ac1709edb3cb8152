"""Random keys, mouse and sizes for a long time: `python -m tests.gates.soak --minutes 20 [--tmux]`."""
