"""Steps from an empty database to the tables of this version. Run by ``storage/migrate.py``."""
