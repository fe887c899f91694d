"""The sections of a prompt: what is chosen for them, ranked, and fitted into budgets."""
