from matplotlib.artist import Artist as Artist
from matplotlib.axes import Axes as Axes
from matplotlib.axis import Axis as Axis
from matplotlib.figure import Figure as Figure
