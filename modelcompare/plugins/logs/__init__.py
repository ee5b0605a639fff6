"""Logs and results of evaluation tools, and files of benchmarks: a module for each."""
