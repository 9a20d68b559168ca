"""What every floor uses and what knows nothing of floats, runs or widgets. Loads the standard library alone.

expression      arithmetic in a text, worked out exactly within bounds
parse           a number or a text, read exactly: the one grammar of formats, fields, options and addresses
checks          arguments: a wrong one gets an error that says what came, what is accepted and the likely fix
suggestion      the likely fix of a misspelt name
installed       optional packages: which are here, and an error that says what to install
files           files that others may change or a full disk may cut short: replaced whole or not at all
plain_text      text of strangers, made harmless for a terminal or a spreadsheet
languages/      all texts that are shown, a folder for each language
    texts       reads them and translates
    choice      which language: an argument, MIXWIDGETS_LANG, or JupyterLab's setting

The way of a number that is typed: `parse.to_exact` gives its sign and magnitude as a Fraction, or a bit
pattern. No float lies in between, so a format rounds it once. `checks.whole_number` and `real_number` read
options in the same grammar, so "2^-24" means the same in a command line, a file and a page.

The way of a text: the code has it in English, and `texts.translated` looks that up in python.json of the
chosen language; the texts of a page have keys, in page.json. A new language is a new folder.

Begin with parse.py and expression.py, whose heads have the grammar, and checks.py, whose errors are the tone
of the house.
"""
