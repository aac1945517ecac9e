"""What programs compute: contents as terms, interpreted as SSA values and as storage."""
