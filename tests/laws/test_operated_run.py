"""Whatever an operator does to a run, it can be copied, gone back in and played again."""

from hypothesis import settings

from tests.laws.machine import OperatedRun

TestOperatedRun = OperatedRun.TestCase
TestOperatedRun.settings = settings(max_examples=12, stateful_step_count=15)
