"""pytest settings for the whole bench: one seed a run, printed where everybody sees it."""

import os
import random


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        os.environ.setdefault("SEED", str(random.SystemRandom().randrange(1, 2**31)))


def pytest_report_header(config):
    return f"seed: {os.environ['SEED']} (repeat with SEED={os.environ['SEED']})"
