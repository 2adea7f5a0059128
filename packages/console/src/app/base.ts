/**
 * Console addresses are written without the server's base path: `/offers/0199...`. The page's `<base>`, written by the server,
 * has that path.
 */

/** Base path of the console without a trailing slash: empty at the root, or `/arbiter`. */
export function basePath(baseUri: string): string {
  return new URL(baseUri).pathname.replace(/[^/]*$/, '').replace(/\/$/, '');
}
