"""Runs the tests that were written on the basket as it is, and on copies with one fault each."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAULTS = {
    "AC-2 discount one item late": ("amount >= 10", "amount > 10"),
    "AC-3 second amount replaces the first": ("before + amount)", "amount)"),
    "AC-4 amount of zero accepted": ("amount <= 0", "amount < 0"),
    "AC-4 negative amount accepted": ("amount <= 0", "amount == 0"),
}


def run_tests(folder):
    """Exit status of the written tests: 0 all passed, 1 some failed, 5 there were none."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60).returncode


def copy_to(folder):
    shutil.copytree(ROOT / "shop", folder / "shop")
    if (ROOT / "tests").exists():
        shutil.copytree(ROOT / "tests", folder / "tests")
    (folder / "conftest.py").write_text("")
    return folder


def test_AC_1_they_pass_on_the_basket_as_it_is(tmp_path):
    assert run_tests(copy_to(tmp_path)) == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_detects(tmp_path, fault):
    folder = copy_to(tmp_path)
    source = (folder / "shop" / "basket.py").read_text()
    before, after = FAULTS[fault]
    assert before in source, "the basket was changed"
    assert run_tests(folder) == 0, "the tests fail without the fault"
    (folder / "shop" / "basket.py").write_text(source.replace(before, after))
    assert run_tests(folder) == 1


def test_regression_the_basket_is_unchanged():
    from shop.basket import Basket

    basket = Basket()
    basket.add("tea", 100, 10)
    assert basket.total() == 900
