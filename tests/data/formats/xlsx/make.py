"""A workbook of labels by openpyxl: make.py."""

from pathlib import Path

import openpyxl

book = openpyxl.Workbook()
book.active.append(["id", "y_true", "bow", "cnn"])
for n in range(12):
    book.active.append([n, n % 3 > 0, n % 2 > 0, n % 3 > 0 or n == 6])
book.save(Path(__file__).with_name("predictions.xlsx"))
