"""A document as text: one module for each format."""
