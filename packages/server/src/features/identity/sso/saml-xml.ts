import type { Document, Element } from '@xmldom/xmldom';
import { lazyPackages } from '../../../platform/packages/lazy-packages.ts';

/** Rejected XML of an identity provider, with the reason for our log. */
export class SamlRefusal extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`SAML response rejected: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'SamlRefusal';
  }
}

export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;

/** More is no sign-in: users with a thousand groups stay far below. */
const maxTags = 20_000;
const deepest = 64;

/**
 * Parses XML from outside. Rejects declarations, comments, CDATA and processing instructions before parsing: with them
 * a document can define entities, or mean one thing to the verifier and another to the reader (docs/design/quality.md
 * T6). Throws SamlRefusal.
 */
export function parseXml(text: string): Element {
  const body = text.replace(/^\uFEFF?\s*<\?xml\s[^<>?]*\?>/, '');
  // `<` is written as `&lt;` in texts and attributes, so these two can be nothing else.
  if (body.includes('<!')) throw new SamlRefusal('it contains a declaration, a comment or CDATA');
  if (body.includes('<?')) throw new SamlRefusal('it contains a processing instruction');
  if (body.includes('\0')) throw new SamlRefusal('NUL');
  if (body.split('<').length > maxTags) throw new SamlRefusal('too many elements');
  const { DOMParser } = lazyPackages.xmlDom();
  let document: Document;
  try {
    document = new DOMParser({
      onError: (_level, message) => {
        throw new SamlRefusal(`not well-formed: ${message}`);
      },
    }).parseFromString(body, 'text/xml');
  } catch (error) {
    if (error instanceof SamlRefusal) throw error;
    throw new SamlRefusal('not well-formed', error);
  }
  const root = document.documentElement;
  if (root === null) throw new SamlRefusal('no element');
  assertShallow(root);
  return root;
}

/** The verification goes down into elements by recursion. */
function assertShallow(root: Element): void {
  let level: Element[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest) throw new SamlRefusal('nested too deeply');
    level = level.flatMap((element) => childrenOf(element));
  }
}

/** The elements right below one. */
export function childrenOf(parent: Element): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.ELEMENT_NODE) found.push(node as Element);
  }
  return found;
}

type Namespace = keyof typeof namespaces;

export const isElement = (element: Element, namespace: Namespace, name: string): boolean =>
  element.namespaceURI === namespaces[namespace] && element.localName === name;

/** Returns the direct child elements with this name. */
export const childrenNamed = (parent: Element, namespace: Namespace, name: string): Element[] =>
  childrenOf(parent).filter((child) => isElement(child, namespace, name));

/** Returns the only direct child with this name, or null. Throws for several. */
export function onlyChild(parent: Element, namespace: Namespace, name: string): Element | null {
  const [first, second] = childrenNamed(parent, namespace, name);
  if (second !== undefined) throw new SamlRefusal(`more than one ${name}`);
  return first ?? null;
}

/** Like `onlyChild`, but throws for none too. */
export function theChild(parent: Element, namespace: Namespace, name: string): Element {
  const child = onlyChild(parent, namespace, name);
  if (child === null) throw new SamlRefusal(`no ${name}`);
  return child;
}

/** Elements of a name anywhere below the root, the root included, whatever their namespace. */
export function allNamed(root: Element, name: string): Element[] {
  const found: Element[] = [];
  let level: Element[] = [root];
  while (level.length > 0) {
    found.push(...level.filter((element) => element.localName === name));
    level = level.flatMap(childrenOf);
  }
  return found;
}

/** The text of an element that holds nothing but text, without outer white space. */
export function textIn(element: Element): string {
  if (childrenOf(element).length > 0) throw new SamlRefusal(`${element.localName} contains elements`);
  return (element.textContent ?? '').trim();
}

/** The value of an attribute; null when it is not there. */
export const attributeOf = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null;
