"""Games whose rules the host does not know: a remote master rules them."""
