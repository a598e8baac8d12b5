"""Fleet for gamehost: ships that the other player cannot see, and shots at them."""
