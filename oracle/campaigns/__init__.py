"""Many programs: dealt to processes, judged, counted, and what was found written down."""
