"""Stories of users, told through the command line."""
