/**
 * Where to go after a sign-in, as the browser's address of it. Only a path of this console counts; whatever else an address names
 * leads to the start. `baseUri`: the document's.
 */
export function returnAddress(search: string, baseUri: string): string {
  const path = new URLSearchParams(search).get('returnTo') ?? '/';
  const own = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) && !path.startsWith('/login') ? path : '/';
  return new URL(`.${own}`, baseUri).href;
}
