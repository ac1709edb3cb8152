"""What users do, each from its beginning to its end."""
