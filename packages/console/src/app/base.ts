/**
 * Addresses of the console are written without the path that the server is reached under: `/offers/0199...`. The page's
 * `<base>`, which the server writes, says what stands before them.
 */

/** Path of the console without the slash at its end: empty at the root, `/arbiter` below one. */
export function basePath(baseUri: string): string {
  return new URL(baseUri).pathname.replace(/[^/]*$/, '').replace(/\/$/, '');
}
