"""What game servers share with others over Valkey or Redis: the bus of events, and hot memories. The save
stays the truth.
"""
