"""Names that are misspelt, and questions that a command cannot put for want of something."""

import modelcompare as mc
from tests.bad_input.case import Call

MODELS = ["lenet5", "densenet_bc_100", "densenet_bc_250", "vgg", "my_densenet", "resnet", "alexnet"]
MANY = mc.Predictions([0, 1, 1], {model: [0, 1, 0] for model in MODELS})

CASES: list[Call] = [
    Call(
        "get_metric: the beginning of a name",
        lambda _: mc.get_metric("precis"),
        "unknown metric 'precis'; did you mean precision, precision_macro or precision_micro?",
    ),
    Call(
        "compare: a part of models' names",
        lambda _: MANY["densenet"],
        "unknown model 'densenet'; there are lenet5, densenet_bc_100, densenet_bc_250, vgg, "
        "my_densenet, resnet, alexnet.",
        KeyError,
    ),
    Call(
        "compare_groups: new sets of one",
        lambda _: mc.compare_groups(MANY, generalize_to="sets"),
        "generalize_to='sets', `weights` and `missing` are for several test sets.",
    ),
]
