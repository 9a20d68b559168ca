"""HTML from elements: whatever a text or an attribute holds, it is escaped. As js/ui/dom.ts makes them."""

from xml.etree.ElementTree import Element, tostring


def h(tag: str, attributes: dict[str, str] | None = None, *children: Element | str) -> Element:
    """An element with its attributes and children; texts stand between elements as they come."""
    element = Element(tag, attributes or {})
    for child in children:
        if isinstance(child, Element):
            element.append(child)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + child
        else:
            element.text = (element.text or "") + child
    return element


def html(*elements: Element) -> str:
    return "\n".join(tostring(element, encoding="unicode", method="html") for element in elements)
