"""All that a person looks at: tables, figures, pages and the terminal's screen."""
