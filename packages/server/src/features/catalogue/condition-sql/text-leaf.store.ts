import { parseInstant, type Scalar } from '@arbiter/engine';
import { textArray } from '../../../db/index.ts';
import { type LeafKind, never, type SqlColumn, type SqlContext, signs } from './leaf-kind.ts';

/** True for text that PostgreSQL can store. Conditions with other text can't run there. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Columns whose values are texts in responses, including uuid and time. Texts are ordered by code point. */
export function textLeaf({ sql, dataType }: SqlColumn, { literals, now }: SqlContext): LeafKind {
  const text = dataType === 'time' ? `arbiter.condition_text(${sql})` : `${sql}::text`;
  const instant = `arbiter.condition_instant(${text})`;
  const holdsInstants = dataType !== 'uuid' && dataType !== 'time';
  const number = `arbiter.condition_number(${text})`;
  const equal = (wanted: string): string => {
    if (dataType !== 'uuid') return `${text} = ${literals.add(wanted, 'text')}`;
    return uuidPattern.test(wanted) ? `${sql} = ${literals.add(wanted, 'uuid')}` : never;
  };
  return {
    compare(comparison, wanted) {
      const sign = signs[comparison];
      if (typeof wanted === 'number') return `${number} ${sign} ${literals.add(String(wanted), 'float8')}`;
      if (typeof wanted === 'boolean') return never;
      const asText =
        comparison === 'eq' ? equal(wanted) : `${text} collate "C" ${sign} ${literals.add(wanted, 'text')}`;
      const at = holdsInstants ? parseInstant(wanted) : null;
      if (at === null) return asText;
      return `case when ${instant} is null then ${asText} else ${instant} ${sign} ${literals.add(String(at), 'bigint')} end`;
    },
    member(wanted) {
      if (!wanted.every((value: Scalar) => typeof value === 'string' && parseInstant(value) === null)) return null;
      const texts = wanted.map(String);
      if (dataType !== 'uuid') return `${text} = any (${literals.add(textArray(texts), 'text[]')})`;
      const ids = texts.filter((id) => uuidPattern.test(id));
      return ids.length === 0 ? never : `${sql} = any (${literals.add(textArray(ids), 'uuid[]')})`;
    },
    text: () => text,
    daysBack(ms, within) {
      if (!holdsInstants) return never;
      const nowMs = `arbiter.condition_ms(${now()})`;
      const from = `${nowMs} - ${literals.add(String(ms), 'bigint')}`;
      return within ? `${instant} between ${from} and ${nowMs}` : `${instant} < ${from}`;
    },
    present: `${sql} is not null`,
    contains: () => null,
  };
}
