"""Metrics of the host for Prometheus."""
