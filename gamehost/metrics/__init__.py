"""What the host tells Prometheus about itself."""
