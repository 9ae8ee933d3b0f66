"""pytest settings for the whole bench: one seed per run, printed in the header; how long the tests took."""

import os

import pytest

from spark_golden import CACHE
from tb import BUILD
from wirestream.sim import simulate

pytest_plugins = ["tb.lib.effort", "tb.lib.inventory", "tb.lib.faults"]


def pytest_configure(config):
    """The workers of a run share one Java machine. It writes to this checkout, as all tests do."""
    os.environ[CACHE] = str(BUILD)
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        from spark_golden.session import share

        share()


@pytest.fixture(scope="session")
def spark():
    """The Spark session of this process. There can be only one, so code under test uses it too."""
    from spark_golden.session import session

    return session()


def pytest_report_header(config):
    return f"seed: {simulate.seed()} (another: SEED=…; `make soak` draws one)"
