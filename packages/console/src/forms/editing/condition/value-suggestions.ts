import { type SchemaStats, schemaFigureOperations } from '@arbiter/contract/catalogue/schema-figures';
import { useEffect, useState } from 'react';
import { useAsk } from '../../../data/use-ask.ts';
import type { ConditionField } from './condition-fields.ts';

/** What a field's statistics suggest for a value. */
export interface ValueSuggestions {
  /** The most frequent values. */
  readonly values: readonly string[];
  /** Of numbers: the least and the greatest value. */
  readonly range: { readonly least: string; readonly most: string } | null;
}

const nothing: ValueSuggestions = { values: [], range: null };

/** Returns what the statistics of a field suggest. */
export function suggestionsOf(stats: SchemaStats | null, column: string): ValueSuggestions {
  const field = stats?.fields.find(({ name }) => name === column);
  if (field === undefined) return nothing;
  if (field.type === 'text') return { values: field.topValues.map(({ value }) => String(value)), range: null };
  return {
    values: [],
    range: field.min === null || field.max === null ? null : { least: String(field.min), most: String(field.max) },
  };
}

/** Suggests values for a field, once `isWanted`. Statistics are counted on demand, because they read the whole table. */
export function useValueSuggestions(field: ConditionField | undefined, isWanted: boolean): ValueSuggestions {
  const ask = useAsk();
  const [known, setKnown] = useState<{ readonly of: string; readonly suggestions: ValueSuggestions } | null>(null);
  const column = field?.column;
  const name = column === undefined ? '' : `${column.schemaId} ${column.name}`;
  useEffect(() => {
    if (!isWanted || name === '') return;
    const [schemaId = '', columnName = ''] = name.split(' ');
    let isOver = false;
    void ask(schemaFigureOperations.stats, { params: { id: schemaId } })
      // Without statistics there are no suggestions; the value can be typed all the same.
      .catch(() => null)
      .then((stats) => {
        if (!isOver) setKnown({ of: name, suggestions: suggestionsOf(stats, columnName) });
      });
    return () => {
      isOver = true;
    };
  }, [ask, isWanted, name]);
  return known?.of === name ? known.suggestions : nothing;
}
