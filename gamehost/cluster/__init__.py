"""Several hosts on one database: who is there, where a name has its home, and connections that are passed on."""
