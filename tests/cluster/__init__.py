"""Tests of `gamehost.cluster`."""
