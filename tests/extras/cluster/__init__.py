"""Tests of `gamehost.extras.cluster`."""
