"""Two compilers, the same programs: what one makes worse, better or otherwise than the other."""
