"""Laws: what holds for every input, over all policies and scenarios."""
