"""The training core. It needs torch and knows no widget."""
