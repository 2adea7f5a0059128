import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

function once<T>(load: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= load();
    return value;
  };
}

/**
 * Packages that most processes never use. Each loads at its first call, synchronously, because its callers are pure functions
 * (docs/adr/0154).
 */
export const lazyPackages = {
  sanitizeHtml: once((): typeof import('sanitize-html') => require('sanitize-html')),
  undici: once((): typeof import('undici') => require('undici')),
  xmlCrypto: once((): typeof import('xml-crypto') => require('xml-crypto')),
  xmlDom: once((): typeof import('@xmldom/xmldom') => require('@xmldom/xmldom')),
  yaml: once((): typeof import('yaml') => require('yaml')),
};
