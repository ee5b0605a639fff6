"""Tests of two models on the same samples from textbooks: McNemar, DeLong, t, Wilcoxon, sign."""
