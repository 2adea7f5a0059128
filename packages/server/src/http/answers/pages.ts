import { basePath } from '../web-paths.ts';

/** Pages to send browsers to. If the public address has a path, each starts with it. */
export interface Pages {
  /** Path of the login page. */
  login(query?: Readonly<Record<string, string>>): string;
  /** Returns a path of ours that a caller named, or the start page for anything else. */
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
 * Returns the path when it can only lead to this server: it starts with exactly one `/` and contains neither a
 * backslash nor a control character, which browsers read as another `/` or skip. Otherwise returns `/`
 * (docs/design/api-access.md 22), also for the sign-in page itself, where nobody who just signed in wants to go.
 */
export function ownPath(path: string | null | undefined): string {
  if (path === null || path === undefined || path.length > longestPath) return '/';
  // A header holds only ASCII; the browser would have encoded the rest.
  return /^\/(?!\/|login(?![\w-]))[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : '/';
}
