"""Names that are misspelt, and questions that a command cannot put for want of something."""

import modelcompare as mc
from tests.bad_input.case import Call, Run

MODELS = ["lenet5", "densenet_bc_100", "densenet_bc_250", "vgg", "my_densenet", "resnet", "alexnet"]
MANY = mc.Predictions([0, 1, 1], {model: [0, 1, 0] for model in MODELS})
TEXTS = {"texts.csv": "id,y_true,a,b\n1,a cat,a cat,the cat\n2,a dog,the dog,a dog\n"}
UNNAMED = "name the metrics to compare texts by, metrics=['wer'] or ['bleu', 'chrf'] say; they have no default."

CASES: list[Call | Run] = [
    Call(
        "get_metric: the beginning of a name",
        lambda _: mc.get_metric("accur"),
        "unknown metric 'accur'; did you mean accuracy, word_accuracy or top_3_accuracy?",
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
    Run(
        "gate: texts have no metric by default",
        "gate texts.csv --kind texts --baseline a --candidate b --margin 1",
        UNNAMED,
        TEXTS,
    ),
    Run(
        "sample-size: texts have no metric by default",
        "sample-size texts.csv --kind texts",
        UNNAMED,
        TEXTS,
    ),
]
