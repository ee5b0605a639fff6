"""Writers and figures, called with results: what they take is made from these."""

from dataclasses import replace

from modelcompare.report.writers import formats as writers
from modelcompare.report.writers import terminal as screens
from modelcompare.report.writers.files import write_all


def screen_text(result, **options):
    return screens.screen_text(result.document(), **options)


def as_csv(result):
    return writers.WRITERS["csv"](result.document())


def as_json(result):
    return writers.WRITERS["json"](result.document())


def screen(result, **options):
    return screens.screen(result.document(), **options)


def page(result, more=()):
    return writers.writer("html")(result.document(), [each.document() for each in more])


def page_of_tables(result):
    """The page without its figures, where nothing is asked of them."""
    return writers.writer("html")(replace(result.document(), figures={}))


def fragment(result):
    return result._repr_html_()


def save(result, folder):
    return write_all(folder, writers.contents(result.document()))


def contents(result):
    return writers.contents(result.document())
