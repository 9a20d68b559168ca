"""mixwidgets export: what it writes and says, and how it refuses."""

import re
from urllib.parse import unquote

from tests.cli.calling import call


def test_export_writes_the_site_and_says_where_to_open_it(tmp_path):
    folder = tmp_path / "my site ü"
    result = call("export", folder)
    assert result.exit_code == 0
    written = {str(path.relative_to(folder)) for path in folder.rglob("*.html")}
    assert {"index.html", "bit_editor.html", "zh/index.html", "zh/bit_editor.html"} <= written
    assert re.match(rf"{len(written)} pages, \d+\.\d MB, in ", result.stdout)
    assert unquote(result.stdout.splitlines()[-1]) == f"Open file://{folder}/index.html"


def test_one_language_stands_at_the_root(tmp_path):
    assert call("export", tmp_path, "--lang", "zh").exit_code == 0
    page = (tmp_path / "bit_editor.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page
    assert 'rel="alternate"' not in page.partition("<main>")[0]  # there is no other language
    assert not (tmp_path / "zh").exists()


def test_the_word_site_may_stand_first(tmp_path):
    assert call("export", "site", tmp_path / "a", "--lang", "zh").exit_code == 0
    assert (tmp_path / "a" / "index.html").exists()
    wrong = call("export", tmp_path / "b", tmp_path / "c")
    assert (wrong.exit_code, sorted(one.name for one in tmp_path.iterdir())) == (2, ["a"])
    assert "site and a folder" in wrong.stderr


def test_a_refusal_is_one_sentence_and_changes_nothing(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    result = call("export", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith("mixwidgets: this folder holds files that are not a site's")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert call("export", tmp_path / "site", "--lang", "fr").exit_code == 2
    assert not (tmp_path / "site").exists()
