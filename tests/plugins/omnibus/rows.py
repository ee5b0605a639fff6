"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.made_up import sliced
from tests.senseless import PLAIN, Door

MADE = {"OmnibusResult": lambda: mc.inference.omnibus_test(sliced())}
PICKLED = {"omnibus_test": lambda _: mc.inference.omnibus_test(sliced(), "accuracy")}
DOORS = {"omnibus_test": Door(mc.inference.omnibus_test, {"predictions": PLAIN})}
