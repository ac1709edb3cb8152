"""How fast engine and screen are: `python -m tests.gates.bench` prints one JSON line per measurement.

The schedulers are measured on a fixed, seeded workload (`workload.py`) for which the real classes of Hadoop 2.7.2
have printed a check number: a run that decides anything else than they did fails instead of being fast.
Each measurement has a process of its own, so that peak memory and garbage belong to it alone.
"""
