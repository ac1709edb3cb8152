"""What users do, from the first command to the last answer."""
