import type { Scalar } from '@arbiter/engine';
import { type LeafKind, never, type SqlColumn, type SqlContext } from './leaf-kind.ts';

/** Columns with arbitrary JSON: each value is compared by its own kind. Objects equal nothing. */
export function jsonLeaf({ sql }: SqlColumn, { literals, now }: SqlContext): LeafKind {
  const wantedJson = (wanted: Scalar): string => literals.add(JSON.stringify(wanted), 'jsonb');
  const text = `arbiter.condition_text(${sql})`;
  const instant = `arbiter.condition_instant(${text})`;
  return {
    compare(comparison, wanted) {
      if (typeof wanted === 'boolean' && comparison !== 'eq') return never;
      return `arbiter.condition_json(${sql}, ${literals.add(comparison, 'text')}, ${wantedJson(wanted)})`;
    },
    member: () => null,
    text: () => text,
    daysBack(ms, within) {
      const nowMs = `arbiter.condition_ms(${now()})`;
      const from = `${nowMs} - ${literals.add(String(ms), 'bigint')}`;
      return within ? `${instant} between ${from} and ${nowMs}` : `${instant} < ${from}`;
    },
    present: `arbiter.condition_present(${sql})`,
    contains: (wanted) => `arbiter.condition_json_contains(${sql}, ${wantedJson(wanted)})`,
  };
}
