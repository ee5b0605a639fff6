"""Lists of names in messages."""

from modelcompare.readers.messages import counted, listed


def test_so_many_names_are_written_and_the_rest_is_counted():
    assert counted("abcdef") == "6 (a, b, c, d, e, f)"
    assert counted("abcdefg") == "7 (a, b, c, d, e, f, ...)"
    assert listed("abc") == "a, b, c"
    assert listed("abcd") == "a, b, c, ..."
    # Texts of more than 60 letters are cut.
    assert listed(["x" * 60]) == "x" * 60
    assert len(listed(["x" * 61])) != 61
