"""Test sets that do not fit into memory: scans of blocks of rows, and sketches, which are sums."""
