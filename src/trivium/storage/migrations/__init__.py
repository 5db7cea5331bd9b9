"""Steps from the tables of a released version to those of this one; see ``storage/migrate.py``."""
