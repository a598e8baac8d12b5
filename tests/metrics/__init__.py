"""Tests of what the host tells Prometheus."""
