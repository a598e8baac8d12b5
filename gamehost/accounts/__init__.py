"""Names and passwords: rules, digests and the log-in service with its quotas."""
