"""What the process needs to run well: log, watchdog, systemd, circuit breaker and one worker thread."""
