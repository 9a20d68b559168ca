// Presets that show one effect each: the settings of both networks.

