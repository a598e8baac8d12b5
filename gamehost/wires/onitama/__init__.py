"""Onitama as pipe-separated lines."""
