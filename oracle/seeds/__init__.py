"""Programs that a user gives: from files, folders and diffs to what a run puts to the compiler."""
