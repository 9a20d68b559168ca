"""What runs where and when: launched runs, sweeps, and the processes that train."""
