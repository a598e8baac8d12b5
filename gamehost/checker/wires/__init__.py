"""What each wire brings for its checks: the document's sections, what messages mean, and the scenarios."""
