import type { RecordDifference } from '@arbiter/contract';

/**
 * Returns the differences between two JSON values as JSON Pointers (RFC 6901): objects member by member, lists item by
 * item, otherwise the whole value. Missing values count as null.
 */
export function jsonDifferences(before: unknown, after: unknown, path = ''): RecordDifference[] {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const old = new Map<string, unknown>(Object.entries(before));
    const now = new Map<string, unknown>(Object.entries(after));
    const names = [...new Set([...old.keys(), ...now.keys()])];
    return names.flatMap((name) => jsonDifferences(old.get(name), now.get(name), `${path}/${escaped(name)}`));
  }
  const [was, is] = [before ?? null, after ?? null];
  return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }];
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
