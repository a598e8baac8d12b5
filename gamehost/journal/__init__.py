"""
The journal: the parts of a table's record, how a record is replayed and checked, and how a match is written as text.
"""
