import { basePath } from '../web-paths.ts';

/** Pages that browsers are sent to. The public address may have a path, which each of them then begins with. */
export interface Pages {
  /** Path of the login page. */
  login(query?: Readonly<Record<string, string>>): string;
  /** An own path that a caller named, or the start page for anything else. */
  own(path: string | null | undefined): string;
}

export function createPages(publicUrl: string): Pages {
  const base = basePath(publicUrl);
  return {
    login(query = {}) {
      const search = new URLSearchParams(query).toString();
      return `${base}/login${search === '' ? '' : `?${search}`}`;
    },
    own: (path) => base + ownPath(path),
  };
}

const longestPath = 2_000;

/**
 * The path, when it can lead nowhere but to this server: it begins with exactly one `/` and holds neither a backslash nor a
 * control character, which browsers read as another `/` or pass over. Else `/` (docs/design/api-access.md 22); also for the
 * sign-in page itself, where nobody wants to be who has just signed in.
 */
export function ownPath(path: string | null | undefined): string {
  if (path === null || path === undefined || path.length > longestPath) return '/';
  // A header holds ASCII only; the browser would have encoded the rest.
  return /^\/(?!\/|login(?![\w-]))[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : '/';
}
