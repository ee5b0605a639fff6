from . import notebook as notebook
