"""One file a step, numbered; a step that has been released is never edited. The file ``0002_x.py``
is the step ``r0002``, and ``storage/migrate.py`` counts it.
"""
