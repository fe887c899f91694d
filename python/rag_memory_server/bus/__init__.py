"""What game servers share over Valkey or Redis: the bus of events and hot memories. The save is the truth."""
