"""What hosts that no test starts set in the page around a widget: themes, and styles that reach into it.

A widget's saved page stands for the host's: it gets the attributes, classes and variables that the host sets,
and loses the styles of its own. Each look meets a system that asks for the opposite theme.
"""

from dataclasses import dataclass, field

# Of @jupyter-widgets/controls, which a host other than JupyterLab loads with the widgets: JupyterLab's light
# theme, whatever the host's own is.
CONTROLS = """
:root {
  --jp-layout-color0: white; --jp-layout-color1: white; --jp-layout-color2: #eeeeee;
  --jp-ui-font-color0: rgba(0, 0, 0, 1); --jp-ui-font-color1: rgba(0, 0, 0, 0.8);
  --jp-ui-font-family: "Helvetica Neue", Helvetica, Arial, sans-serif;
}
"""
JUPYTERLAB_DARK = """
:root { --jp-layout-color0: #111111; --jp-ui-font-color0: rgba(255, 255, 255, 1); }
body { background: #111111; }
"""
# A webview's defaults, which are in a layer, a notebook's tables, and the white paper under widgets.
VSCODE = f"""{CONTROLS}
@layer vscode-default {{
  body {{ color: var(--foreground); margin: 0; padding: 0 20px; }}
  input:focus, select:focus {{ outline: 1px solid -webkit-focus-ring-color; outline-offset: -1px; }}
  code {{ color: var(--preformat); background-color: var(--preformat-background); padding: 1px 3px; }}
}}
html {{ background: var(--background); }}
main {{ background: white; }}
table, thead, tr, th, td, tbody {{ border-spacing: 0; border-collapse: collapse; }}
table {{ width: 100%; }}
table, th, tr {{ text-align: left !important; }}
thead {{ font-weight: bold; background-color: rgba(130, 130, 130, 0.16); }}
th, td {{ padding: 4px 8px; }}
tr:nth-child(even) {{ background-color: rgba(130, 130, 130, 0.08); }}
"""
VSCODE_DARK = f"""{VSCODE}
:root {{ --background: #1f1f1f; --foreground: #ccc; --preformat: #d0d0d0; --preformat-background: #3c3c3c; }}
"""
VSCODE_LIGHT = f"""{VSCODE}
:root {{ --background: #fff; --foreground: #3b3b3b; --preformat: #3b3b3b; --preformat-background: #0002; }}
"""

# Bootstrap's elements, and the drawings of an output: nbclassic, and nbviewer.
NBCLASSIC = """
summary { display: block; }
label { display: inline-block; max-width: 100%; margin-bottom: 5px; font-weight: bold; }
legend { display: block; width: 100%; padding: 0; margin-bottom: 18px; font-size: 19.5px; }
output { display: block; padding-top: 7px; font-size: 13px; color: #555555; }
.nbclassic div svg { max-width: 100%; height: auto; }
"""


@dataclass(frozen=True)
class Look:
    is_dark: bool
    style: str = ""
    html: dict[str, str] = field(default_factory=dict)
    """Attributes of the page's root element."""
    body: dict[str, str] = field(default_factory=dict)


LOOKS = {
    "VS Code, dark": Look(True, VSCODE_DARK, body={"class": "vscode-dark"}),
    "VS Code, light": Look(False, VSCODE_LIGHT, body={"class": "vscode-light"}),
    "VS Code, high contrast": Look(True, VSCODE_DARK, body={"class": "vscode-high-contrast"}),
    "VS Code, light high contrast": Look(
        False, VSCODE_LIGHT, body={"class": "vscode-high-contrast-light vscode-high-contrast"}
    ),
    "Colab, dark": Look(
        True, CONTROLS + "body { background: #383838; color: #d5d5d5; }", html={"theme": "dark"}
    ),
    "Colab, light": Look(False, CONTROLS, html={"theme": "light"}),
    "html-manager": Look(False, CONTROLS),
    "nbclassic": Look(False, CONTROLS + NBCLASSIC, body={"class": "nbclassic"}),
    "JupyterLab, dark": Look(True, JUPYTERLAB_DARK, body={"data-jp-theme-light": "false"}),
    "bare page": Look(False),
    "bare dark page": Look(True, ":root { color-scheme: dark; }"),
    "documentation, dark": Look(True, "body { background: #131416; }", body={"data-theme": "dark"}),
}
