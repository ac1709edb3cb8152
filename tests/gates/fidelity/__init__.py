"""Recorded runs of real ResourceManagers beside the simulation of the same script, with the errors as figures."""
