import { basePath } from './start-page.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const notOwn = /^\/\/|[\\\u0000-\u001f\u007f-\u009f]/;

/**
 * The path to which a caller wants to come back, when it is one of this server: it begins with exactly one slash and holds no
 * backslash or control character. Anything else counts as `/` (docs/design/api-access.md 22).
 */
export function ownPath(returnTo: string | null | undefined): string {
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/') || notOwn.test(returnTo)) return '/';
  return returnTo;
}

/**
 * Value of `Location` for a path of this server. The public address may have a path of its own, which every path here is
 * named without (docs/design/api-settled.md "Access and console").
 */
export function locationOf(publicUrl: string, path: string): string {
  // A header holds ASCII only.
  return encodeURI(`${basePath(publicUrl)}${path}`).replaceAll('%25', '%');
}
