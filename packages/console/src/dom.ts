/** Elements, made without a line of markup: whatever text comes from outside stays text. */

type Attributes = Readonly<Record<string, string | undefined>>;

/** The element of the page with this id, which has to be of this kind. */
export function byId<E extends Element>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} "${id}"`);
  return found;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(name: string, attributes: Attributes, ...children: readonly (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [attribute, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Changes a text only where it differs: nothing is laid out again, and nothing is read out again, without a reason. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute, or takes it away. */
export function setAttribute(target: Element, name: string, value: string | undefined): void {
  if (value === undefined) target.removeAttribute(name);
  else if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/** The class of one row or cell, for a figure that rises or falls. */
export function trend(direction: -1 | 0 | 1): string {
  return direction === 0 ? '' : direction > 0 ? 'up' : 'down';
}

let announcer: HTMLElement | undefined;

/** Has a screen reader say a sentence: what happened to an action, a connection, a halt. Never prices. */
export function announce(text: string): void {
  announcer ??= byId('announcer', HTMLElement);
  announcer.textContent = text;
}
