"""How the documentation is built; `python3 dev.py docs` does it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from unclustered import __version__
from unclustered.methods import method_class, method_names

project = "unclustered"
author = "The unclustered developers"
copyright = author
release = version = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "mathml",
]
exclude_patterns = ["_static", "_ext"]
nitpicky = False

html_theme = "furo"
html_title = f"unclustered {release}"
html_static_path = ["_static"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3

# Pages are generated nowhere: api.md writes down what it shows, and nothing lands in the checkout.
autosummary_generate = False
autodoc_typehints = "none"
autodoc_default_options = {
    "members": True,
    # scikit-learn's own members are scikit-learn's to document.
    "inherited-members": "ClassifierMixin, BaseEstimator",
    "exclude-members": "get_metadata_routing, set_fit_request, set_score_request",
}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# The methods are found in their folder, here as in the library: a new one needs no edit.
_classes = [method_class(name).__name__ for name in method_names()]
myst_substitutions = {
    "methods": "\n".join(
        f"```{{eval-rst}}\n.. autoclass:: unclustered.{name}\n```\n" for name in _classes
    ),
}
