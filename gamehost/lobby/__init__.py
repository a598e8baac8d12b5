"""Who is here, who waits for which game, and which tables run."""
