"""Every recorded answer of real servers, read as `schedlab watch` reads it."""
