from . import crossval as crossval
from . import diagnostics as diagnostics
from . import io as io
from . import metrics as metrics
from . import results as results
from . import studies as studies
from . import testing as testing
from . import tests as tests
from .arguments import config_context as config_context
from .comparison.bootstrap import bootstrap as bootstrap
from .comparison.compare import compare as compare
from .comparison.compare_groups import compare_groups as compare_groups
from .data.predictions import Predictions as Predictions
from .examples import load_example as load_example
from .metrics.base import Metric as Metric
from .metrics.base import SparseDataWarning as SparseDataWarning
from .metrics.base import UndefinedMetricWarning as UndefinedMetricWarning
from .metrics.listing import list_metrics as list_metrics
from .metrics.registry import get_metric as get_metric
from .questions.decide import decide as decide
from .questions.gate import gate as gate
from .questions.keep import keep as keep
from .questions.paired import paired_test as paired_test
from .questions.sample_size import sample_size as sample_size
from .readers import read_predictions as read_predictions
from .readers.battles import from_battles as from_battles

__version__: str
