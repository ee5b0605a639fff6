"""Tests that all models of a test set are equal."""
