"""Programs made of other programs: one kind of change a file, `mutant()` puts them together."""
