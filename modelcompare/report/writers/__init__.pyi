from . import latex as latex
from . import notebook as notebook
from . import page as page
