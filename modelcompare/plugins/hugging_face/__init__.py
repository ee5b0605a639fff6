"""Data sets of Hugging Face, as objects and in folders."""
