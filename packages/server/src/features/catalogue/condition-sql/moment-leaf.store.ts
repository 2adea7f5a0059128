import { civilFromDays, parseInstant } from '@arbiter/engine';
import { type Comparison, type LeafKind, never, type SqlColumn, type SqlContext, signs } from './leaf-kind.ts';

const dayMs = 86_400_000;

/**
 * Date and instant columns. Responses show milliseconds, so an instant equals every microsecond within one. Bounds move
 * instead of the column, so that its index can be used.
 */
export function momentLeaf({ sql, dataType }: SqlColumn, { literals, now }: SqlContext): LeafKind {
  const isZoned = dataType === 'timestamptz';
  const text = `arbiter.condition_text(${sql})`;
  const at = (ms: number): string => literals.add(momentText(ms), isZoned ? 'timestamptz' : 'timestamp');
  const instants = (comparison: Comparison, ms: number): string => {
    if (dataType === 'date') return `${sql} ${signs[comparison]} ${at(ms)}`;
    switch (comparison) {
      case 'eq':
        return `(${sql} >= ${at(ms)} and ${sql} < ${at(ms + 1)})`;
      case 'gt':
        return `${sql} >= ${at(ms + 1)}`;
      case 'gte':
        return `${sql} >= ${at(ms)}`;
      case 'lt':
        return `${sql} < ${at(ms)}`;
      case 'lte':
        return `${sql} < ${at(ms + 1)}`;
    }
  };
  return {
    compare(comparison, wanted) {
      // The text is never a number.
      if (typeof wanted !== 'string') return never;
      const ms = parseInstant(wanted);
      if (ms !== null) return instants(comparison, ms);
      return `${text} collate "C" ${signs[comparison]} ${literals.add(wanted, 'text')}`;
    },
    member: () => null,
    text: () => text,
    daysBack(ms, within) {
      const here = isZoned ? now() : `timezone(${literals.add('UTC', 'text')}, ${now()})`;
      const from = `${here} - ${literals.add(`${ms} milliseconds`, 'interval')}`;
      if (!within) return `${sql} < ${from}`;
      const until = dataType === 'date' ? `<= ${here}` : `< ${here} + ${literals.add('1 milliseconds', 'interval')}`;
      return `(${sql} >= ${from} and ${sql} ${until})`;
    },
    present: `${sql} is not null`,
    contains: () => null,
  };
}

/**
 * Returns epoch ms in a form that PostgreSQL reads under any setting, in UTC. An offset may lead out of the years 1 to
 * 9999.
 */
function momentText(ms: number): string {
  const days = Math.floor(ms / dayMs);
  const { year, month, day } = civilFromDays(days);
  const rest = ms - days * dayMs;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const clock = `${two(rest / 3_600_000)}:${two((rest / 60_000) % 60)}:${two((rest / 1000) % 60)}`;
  const date = `${String(year > 0 ? year : 1 - year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return `${date} ${clock}.${String(rest % 1000).padStart(3, '0')}+00${year > 0 ? '' : ' BC'}`;
}
