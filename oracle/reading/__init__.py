"""What a module is, read back from the compiler: as programs of the IR."""
