import type { Element } from '@xmldom/xmldom';
import { lazyPackages } from '../packages/lazy-packages.ts';
import { SourceError } from './source-error.ts';

/** Returns the root of a document, an element with this name. Throws SourceError `unexpected_response`. */
export function xmlRoot(xml: string, name: string): Element {
  try {
    const onError = (_level: string, message: string): never => {
      throw new Error(message);
    };
    // Some services begin their documents with a byte order mark.
    const { DOMParser } = lazyPackages.xmlDom();
    const root = new DOMParser({ onError }).parseFromString(xml.replace(/^\uFEFF/, ''), 'text/xml').documentElement;
    if (root?.localName === name) return root;
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
  throw new SourceError('unexpected_response');
}

/** The text of the first element with this name below another; null without one. */
export const xmlText = (element: Element, name: string): string | null =>
  element.getElementsByTagName(name)[0]?.textContent ?? null;
