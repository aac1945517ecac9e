"""Programs of the command level: their memory, who touches it when, and what must not happen."""
