"""Calibration by the options of a command."""

from __future__ import annotations

from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.calibrated.fit import calibrated
from modelcompare.plugins.calibrated.methods import Method
from modelcompare.readers import read
from modelcompare.readers.options import Columns
from modelcompare.words import check_choice

# Folds of the same samples.
_FOLDS = 5


def calibrate(predictions: Predictions, reading: Reading, columns: Columns) -> Predictions:
    """Return the predictions with calibrated probabilities."""
    if not reading.calibrate:
        raise ValueError("--calibrate-on needs --calibrate METHOD, such as temperature.")
    check_choice("--calibrate", reading.calibrate, Method)
    if not reading.calibrate_on:
        found = calibrated(predictions, reading.calibrate, folds=_FOLDS)
        say(f"modelcompare: calibrated by {reading.calibrate} in {_FOLDS} folds")
        return found
    on = read([reading.calibrate_on], columns).predictions
    found = calibrated(predictions, reading.calibrate, on=on)
    say(f"modelcompare: calibrated by {reading.calibrate} on {reading.calibrate_on}")
    return found
