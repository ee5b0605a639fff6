"""Logs and files of tools that do not hold what they must."""

from tests.plugins.logs import bad_logs, bad_reports, bad_texts

CASES = [*bad_logs.CASES, *bad_reports.CASES, *bad_texts.CASES]
