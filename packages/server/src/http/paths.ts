import type { Operation } from '@arbiter/contract';

/** `/api/v1/offers/{id}` as the router writes it: `/api/v1/offers/:id`. */
export function routerPath(path: string): string {
  return path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');
}

/** Every path of an operation, the canonical one first. */
export function pathsOf(operation: Operation): readonly string[] {
  return [operation.path, ...(operation.aliases ?? [])];
}

/** Which methods a path of the API knows; null for an unknown path. Only asked when no operation matched (405, 404). */
export type AllowedMethods = (url: string) => string[] | null;

export function createAllowedMethods(operations: readonly Operation[]): AllowedMethods {
  const byLength = new Map<number, { readonly segments: readonly string[]; readonly method: string }[]>();
  for (const operation of operations) {
    for (const path of pathsOf(operation)) {
      const segments = path.split('/');
      const known = byLength.get(segments.length) ?? [];
      known.push({ segments, method: operation.method });
      byLength.set(segments.length, known);
    }
  }
  return (url) => {
    const segments = url.split('?', 1)[0]!.split('/').map(decodeSegment);
    const found = new Set<string>();
    for (const known of byLength.get(segments.length) ?? []) {
      const matches = known.segments.every(
        (want, index) => want === segments[index] || isParameter(want, segments[index]),
      );
      if (matches) found.add(known.method);
    }
    if (found.size === 0) return null;
    if (found.has('GET')) found.add('HEAD');
    return [...found].sort();
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
