"""Letting an application spend: a cap a month that its user sets, keys that end with consent."""
