"""Stand-in for the part of tt-exalens that reaches into cores: nothing here does."""
