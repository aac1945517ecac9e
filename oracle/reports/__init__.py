"""Reports of runs for people and for other tools: HTML, Markdown, JUnit."""
