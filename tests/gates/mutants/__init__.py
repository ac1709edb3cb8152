"""Mutation testing: change one small thing of the product at a time and see whether a test notices.

`changes` lists the mutants of a source file, `patching` puts one into a running process, `reach` records
which tests run which mutants, `trials` tries each mutant in a fork; `equal.toml` names those that change no behaviour.
A tool for developers: `make mutants` runs a seeded sample, no continuous integration does.

Why our own: mutmut (3.x) leaves decorated functions, so every property, as they are, runs its tests on a copy of the
tree in which the checks of our sources fail, has no seed for a sample, and wants equal mutants marked in the product;
cosmic-ray starts pytest anew for each mutant, which costs seconds where a fork costs milliseconds.
"""
