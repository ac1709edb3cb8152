"""The verbs of the command line, one file each; data goes to stdout, talk to stderr."""
