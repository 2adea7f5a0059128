import { nearestWord } from '@arbiter/engine';
import { conditionsOf, partsOf } from './check-conditions.ts';
import { type Finding, finding, quoted } from './findings.ts';
import { storedCondition } from './formula.ts';
import type { CheckInput, Subject } from './subject.ts';
import { columnsByName } from './value-types.ts';

/** A text that a condition compares a value of the customer with. */
interface ComparedText {
  readonly subject: Subject;
  /** Name of the value, without `customer.`. */
  readonly name: string;
  readonly text: string;
}

function comparedTexts(input: Pick<CheckInput, 'snapshot'>): ComparedText[] {
  return conditionsOf(input).flatMap(({ subject, source }) => {
    const stored = storedCondition(source);
    if (stored === null) return [];
    const inside = 'list' in source ? '' : '/conditions';
    return partsOf(stored, subject.path, inside).flatMap(({ condition, path }) => {
      if ('conditions' in condition || (condition.operator !== 'eq' && condition.operator !== 'in')) return [];
      const name = condition.field.replace(/^customer\./, '');
      const texts = [condition.value ?? []].flat().filter((value): value is string => typeof value === 'string');
      return texts.map((text) => ({ subject: { ...subject, path }, name, text }));
    });
  });
}

/** A column of a schema. */
export interface TextColumn {
  readonly schemaId: string;
  readonly column: string;
}

/**
 * Returns the columns of values that conditions compare with texts, by the name of the value: what `knownTexts` could be
 * read from. Values that come from elsewhere too are left out.
 */
export function comparedColumns({
  snapshot,
  plan,
}: Pick<CheckInput, 'snapshot' | 'plan'>): ReadonlyMap<string, readonly TextColumn[]> {
  const columns = columnsByName(snapshot, plan);
  const compared = new Set(comparedTexts({ snapshot }).map(({ name }) => name));
  return new Map(
    [...compared].flatMap((name) => {
      const sources = columns.get(name) ?? [];
      const own = sources.flatMap(({ type, column }) => (type === 'text' && column !== null ? [column] : []));
      return own.length > 0 && own.length === sources.length ? [[name, own] as const] : [];
    }),
  );
}

/** Texts that no customer has. */
export function checkKnownTexts(input: CheckInput): Finding[] {
  const { knownTexts } = input;
  if (knownTexts === undefined) return [];
  return comparedTexts(input).flatMap(({ subject, name, text }) => {
    const known = knownTexts.get(name);
    if (known === undefined || known.includes(text)) return [];
    const near = nearestWord(text, known);
    const hint = near === null ? '' : ` Did you mean ${quoted(near)}?`;
    return [finding('unknown_value', subject, `No customer has ${quoted(text)} in ${name}.${hint}`)];
  });
}
