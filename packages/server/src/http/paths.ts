import type { ErrorFormat, Operation } from '@arbiter/contract';

/** Returns `/api/v1/offers/{id}` as the router writes it: `/api/v1/offers/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');
}

/** Returns every path of an operation, the canonical one first. */
export function pathsOf(operation: Operation): readonly string[] {
  return [operation.path, ...(operation.aliases ?? [])];
}

/** What the API knows about a path that matched no operation. */
export interface KnownPath {
  /** Methods of the path; null for an unknown path. */
  readonly methods: string[] | null;
  /** Error format at the path. */
  readonly format: ErrorFormat;
}

/** Only used when no operation matched (405, 404). */
export function createKnownPaths(operations: readonly Operation[]): (url: string) => KnownPath {
  const byLength = new Map<number, { readonly segments: readonly string[]; readonly operation: Operation }[]>();
  for (const operation of operations) {
    for (const path of pathsOf(operation)) {
      const segments = path.split('/');
      const known = byLength.get(segments.length) ?? [];
      known.push({ segments, operation });
      byLength.set(segments.length, known);
    }
  }
  // SCIM clients get SCIM errors, even for unknown paths below its base (RFC 7644 section 3.12).
  const scimBases = operations
    .filter(({ errorFormat }) => errorFormat === 'scim')
    .map(({ path }) => path.replace(/[^/]+(\/\{[^}]+\})?$/, ''));
  return (url) => {
    const path = url.split('?', 1)[0]!;
    const segments = path.split('/').map(decodeSegment);
    const found = (byLength.get(segments.length) ?? [])
      .filter((known) =>
        known.segments.every((want, index) => want === segments[index] || isParameter(want, segments[index])),
      )
      .map(({ operation }) => operation);
    if (found.length === 0) {
      return { methods: null, format: scimBases.some((base) => path.startsWith(base)) ? 'scim' : 'problem' };
    }
    const methods = new Set<string>(found.map(({ method }) => method));
    if (found.some(({ method, head }) => method === 'GET' && head !== false)) methods.add('HEAD');
    return { methods: [...methods].sort(), format: found[0]?.errorFormat ?? 'problem' };
  };
}

function isParameter(segment: string, value: string | undefined): boolean {
  return segment.startsWith('{') && value !== undefined && value !== '';
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
