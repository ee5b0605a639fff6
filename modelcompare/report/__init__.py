"""Everything that a person reads: documents, tables, figures, and a writer for each format."""
