"""Web servers of the command line: a simulation as a ResourceManager, and programs in a browser; nobody is trusted."""
