"""The examples in the documentation do what they say."""

import doctest
import importlib
import pathlib
import pkgutil
import unittest

import mapwright_hlo

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


class Examples(unittest.TestCase):
    def test_docstrings(self):
        tried = 0
        for module in [mapwright_hlo, *(importlib.import_module(f"mapwright_hlo.{m.name}") for m in pkgutil.iter_modules(mapwright_hlo.__path__))]:
            found = doctest.testmod(module)
            self.assertEqual(found.failed, 0, module)
            tried += found.attempted
        self.assertGreater(tried, 30)

    def test_page(self):
        found = doctest.testfile(str(PAGE), module_relative=False)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 10)


if __name__ == "__main__":
    unittest.main()
