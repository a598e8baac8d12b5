"""The store in PostgreSQL. Its tests need PostgreSQL's programs and psycopg; without them they are skipped."""
