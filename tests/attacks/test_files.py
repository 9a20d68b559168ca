"""What is saved touches no file but its own."""

from concurrent.futures import ThreadPoolExecutor

import mixwidgets as mw


def test_a_users_own_files_beside_a_page_stay(tmp_path):
    theirs = {tmp_path / name: name.encode() for name in ("page.html.new", ".page.html", "page.html~")}
    for path, content in theirs.items():
        path.write_bytes(content)
    mw.BitEditor(1).save(tmp_path / "page.html")
    assert {path: path.read_bytes() for path in theirs} == theirs
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", *(path.name for path in theirs)}


def test_many_saves_at_once(tmp_path):
    editors = [mw.BitEditor(number) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda editor: editor.save(tmp_path / "page.html"), editors * 10))
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")


def test_a_failed_save_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no")

    monkeypatch.setattr("mixwidgets.support.files.rename", fail)
    try:
        mw.BitEditor(1).save(tmp_path / "page.html")
    except OSError:
        assert list(tmp_path.iterdir()) == []
    else:
        raise AssertionError("it was saved")
