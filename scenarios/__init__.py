"""Scenarios that come with the program: package data, read by `formats.scenario_toml`.

Each file begins with what it shows and what to watch; its expectations hold on the engine as it is.
"""
