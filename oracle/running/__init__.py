"""Programs compiled to bytecode and run on several devices."""
