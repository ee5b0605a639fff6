"""Tests of two models on two different test sets."""
