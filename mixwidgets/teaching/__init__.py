"""To learn and to teach: questions with answers, a playground, one training step, the pages of a classroom.

    course.py            the lessons' notebooks, and a student's copy of them
    exercises/           questions, and who judges their answers
      questions.py         Question, and those of the lessons (catalogue.json; texts in support/languages)
      rules.py             which answers are right, by the formats themselves
      answers.py           numbers as they are typed, read exactly
      record.py            all that a student did with a question, as one text
      report.py            the record for a teacher to read, and the reports of a class read back
      cases.py             the coding tasks: arguments and results
      coding.py            check: tries a student's function on the cases of its task
      starters.py          the functions that the lessons give to complete
      keeping.py           the file beside a notebook in which a learner's work is kept
      lesson_report.py     hand_in: one text of all that a lesson asks
      handed_in.py         the text in what students hand in, whatever kind of file it is
      class_folder.py      a class's folder: each student's reports, and what was not understood
    site/                the classroom site: pages that need neither kernel nor network
      catalogue.py         what it shows: widgets with presets and tasks, lessons (catalogue.json)
      edition.py           how a page is written: elements, header and footer, in one language
      figures.py           the figures, and which line of the training loop a box opens
      story.py             a lesson's page, made from its notebook
      pages.py             all pages
      folder.py            writes them, and no file of the user's is lost
    figures/             the figures as `make bundle` draws them, in TypeScript, from the engine and the texts
    widgets/exercise/    Exercise: one question in a notebook or on the site
    widgets/settings.py  what a network that trains in the page is set to, for both of:
    widgets/playground/  Playground: a small network that trains in the page
    widgets/training_step/  TrainingStep: one step of it, followed through the five steps of the paper

The way of a question and its answer. catalogue.json says by a rule which answers are right, such as "the
largest value of float16", so that the formats decide. `Exercise` sends the question in one language, and
the page judges by the rule with its own formats: rules.py, answers.py, record.py and report.py have twins
in TypeScript, and tests/vectors/exercises.json holds both to the same judgement. Each step of the student's
is a line of the record, which the kernel receives and the report is made from. A notebook's work is kept in a
file, so that the cell shows it when it runs again; that of a saved page by the tab, and not in its address.
`mixwidgets grade` reads the reports of a class. Code is judged in the kernel, by `check`, and its attempts
take the same form.

The way of a site's page. `mixwidgets export` calls `build_site`: for each language and each entry of the
catalogue it makes the widgets, lets them write their state and module into one HTML file, and closes them.
The same version writes the same bytes anywhere, so explorers show recorded runs. `write_site` then replaces
the files of an earlier site, and no others.

Begin with exercises/rules.py, whose head lists what a rule can say, or with site/pages.py.
"""
