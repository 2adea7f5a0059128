import type { ConnectorPreview } from '@arbiter/contract';
import type { SourceRow } from './reader.ts';

const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);
const largestInteger = 2_147_483_647;

/** Returns the narrowest data type that fits a value of a source. Texts stay text: a file says nothing more. */
function typeOf(value: unknown): string {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') {
    if (!isInteger(value)) return 'double';
    return Math.abs(value) <= largestInteger ? 'integer' : 'bigint';
  }
  return typeof value === 'object' ? 'jsonb' : 'text';
}

const wider = ['integer', 'bigint', 'double'];

function common(types: readonly string[]): string {
  const [first = 'text', ...others] = [...new Set(types)];
  if (others.length === 0) return first;
  return [first, ...others].every((type) => wider.includes(type))
    ? (wider.findLast((type) => type === first || others.includes(type)) ?? 'double')
    : 'text';
}

/** Returns the columns of rows, in order of appearance. */
export function previewColumns(rows: readonly SourceRow[]): ConnectorPreview['columns'] {
  const types = new Map<string, string[]>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const known = types.get(name) ?? [];
      if (value !== null && value !== undefined) known.push(typeOf(value));
      types.set(name, known);
    }
  }
  return [...types].map(([name, found]) => ({ name, dataType: common(found) }));
}
