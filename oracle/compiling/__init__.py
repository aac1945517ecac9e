"""The compiler under test: its processes, what they are asked, and the pipeline in stages."""
