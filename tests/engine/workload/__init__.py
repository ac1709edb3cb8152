"""Tests of the workload."""
