"""The command line: tables of options and commands, and a function for each; data goes to stdout, talk to stderr.

A command is a row of `verbs`: its words, its options by name, its forms, and where its function is. `options` declares
each option, `grammar` reads the words, `source` finds out what SOURCE means, `output` writes what `-o` asks for, `talk`
says everything else, `aliases` understands the names of releases before. A function is given the words understood, and
answers with an exit code.

What a user got wrong is a `ConfigError` with every problem there is, a server that does not answer a `SourceError`. Any
function here may raise them, and `talk` makes lines and an exit code of them; docstrings name only what else there is.
"""
