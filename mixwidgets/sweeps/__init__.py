"""Many experiments over any concurrent.futures.Executor: this machine's cores, or a cluster."""
