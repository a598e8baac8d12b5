"""Games with rules that the host does not know: a remote master decides."""
