from modelcompare import crossval as crossval
from modelcompare import diagnostics as diagnostics
from modelcompare import io as io
from modelcompare import metrics as metrics
from modelcompare import results as results
from modelcompare import testing as testing
from modelcompare import tests as tests
from modelcompare.arguments import config_context as config_context
from modelcompare.comparison.bootstrap import bootstrap as bootstrap
from modelcompare.comparison.compare import compare as compare
from modelcompare.comparison.compare_groups import compare_groups as compare_groups
from modelcompare.data.predictions import Predictions as Predictions
from modelcompare.examples import load_example as load_example
from modelcompare.metrics.base import Metric as Metric
from modelcompare.metrics.base import SparseDataWarning as SparseDataWarning
from modelcompare.metrics.base import UndefinedMetricWarning as UndefinedMetricWarning
from modelcompare.metrics.listing import list_metrics as list_metrics
from modelcompare.metrics.registry import get_metric as get_metric
from modelcompare.plugins.paper import studies as studies
from modelcompare.questions.decide import decide as decide
from modelcompare.questions.gate import gate as gate
from modelcompare.questions.keep import keep as keep
from modelcompare.questions.paired import paired_test as paired_test
from modelcompare.questions.sample_size import sample_size as sample_size
from modelcompare.readers import read_predictions as read_predictions
from modelcompare.readers.battles import from_battles as from_battles

__version__: str
