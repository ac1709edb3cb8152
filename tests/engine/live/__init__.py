"""Tests of live clusters: recorded answers of real ResourceManagers, and a played one."""
