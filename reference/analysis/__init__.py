"""The whole-program affinity analysis, `analyze(program, release)`, and what it is made of.

`explorer.py` and `walks.py` say which ops and values there are and where a resource goes,
`elements.py` what each contributes, `solver.py` in which order the answers are joined, and
`affinities.py` puts the questions. `pins.py` finds what pins a value to a device.
"""

from reference.analysis.affinities import Affinities, AffinityAnalysis, analyze

__all__ = ["Affinities", "AffinityAnalysis", "analyze"]
