"""Stratego as binary frames."""
