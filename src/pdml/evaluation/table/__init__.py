"""Tables of numbers as Markdown, LaTeX and CSV."""
