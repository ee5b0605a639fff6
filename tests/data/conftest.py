"""The scripts that wrote the data are no tests."""

collect_ignore_glob = ["*make.py"]
