"""The training core. It needs torch and does not depend on widgets."""
