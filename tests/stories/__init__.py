"""Stories of users, told by what they enter and what they are shown."""
