"""Settings of all tests."""

from hypothesis import settings

settings.register_profile("mixwidgets", deadline=None)  # no timing is an assertion
settings.load_profile("mixwidgets")
