"""Documents, tables and figures, and a writer for each format."""
