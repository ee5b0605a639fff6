"""Predictions from unusual sources: counts, coarse confidences."""

from modelcompare import plugs
from modelcompare.data.confidences import bin_values as bin_values
from modelcompare.data.confidences import from_bins as from_bins
from modelcompare.data.confidences import from_nbest as from_nbest
from modelcompare.data.confidences import missing_mass as missing_mass
from modelcompare.data.confidences import quantize as quantize

__getattr__, __dir__ = plugs.room(__name__)
