"""
Programs that play as clients of a host: the process of the house players, and the parts of `gamehost player` that all
wires share.
"""
