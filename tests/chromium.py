"""The browser of this machine, for tests that open pages."""

import shutil

import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

needs_chromium = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium; on Debian `apt-get install chromium` brings it"
)
