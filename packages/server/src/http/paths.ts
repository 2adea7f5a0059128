import type { ErrorFormat, Operation } from '@arbiter/contract';

/** `/api/v1/offers/{id}` as the router writes it: `/api/v1/offers/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');
}

/** Every path of an operation, the canonical one first. */
export function pathsOf(operation: Operation): readonly string[] {
  return [operation.path, ...(operation.aliases ?? [])];
}

/** What the API knows of a path that no operation answered. */
export interface KnownPath {
  /** Methods that the path takes; null for an unknown path. */
  readonly methods: string[] | null;
  /** How an error there is written. */
  readonly format: ErrorFormat;
}

/** Only asked when no operation matched (405, 404). */
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
  // A client of SCIM reads SCIM errors, also below its base where nothing is (RFC 7644 section 3.12).
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
