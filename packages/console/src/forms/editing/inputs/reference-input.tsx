import { useCallback, useEffect, useState } from 'react';
import { useAsk } from '../../../data/use-ask.ts';
import { listText } from '../../../messages/catalogue/conditions.ts';
import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { Field, TextField } from '../../../ui/field.tsx';
import { FilterChip } from '../../../ui/filter-chip.tsx';
import { middleCut } from '../../../ui/format.ts';
import { type Pick, PickField } from '../../../ui/pick-field.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { referenceSources } from './reference-sources.ts';

/** Records offered for a text. */
const maxFound = 20;

interface Named {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly key?: string;
}

/** Finds and names records of a type. */
export function useReferences(to: string, query: Readonly<Record<string, unknown>> | undefined) {
  const ask = useAsk();
  const find = useCallback(
    async (search: string): Promise<readonly Pick[]> => {
      const source = await referenceSources[to]?.();
      if (source === undefined) return [];
      const words = search === '' ? {} : { search };
      const page = (await ask(source.list, { query: { ...query, ...words, limit: maxFound } } as never)) as {
        readonly data: readonly Named[];
      } | null;
      return (page?.data ?? []).map(({ id, key, name, status }) => ({
        ...{ value: source.by === 'key' ? (key ?? id) : id, label: name },
        ...(status === undefined || status === 'active' ? {} : { detail: status }),
      }));
    },
    [ask, to, query],
  );
  const nameOf = useCallback(
    async (id: string): Promise<string | null> => {
      const source = await referenceSources[to]?.();
      if (source === undefined) return null;
      if (source.by === 'key') {
        const page = (await ask(source.list, { query: { search: id, limit: maxFound } } as never)) as {
          readonly data: readonly Named[];
        } | null;
        return page?.data.find(({ key }) => key === id)?.name ?? id;
      }
      const record = (await ask(source.get, { params: { id } } as never)) as Named | null;
      return record?.name ?? null;
    },
    [ask, to],
  );
  return { find, nameOf };
}

/** Names of records by ID, loaded one after the other. A record that's gone keeps its ID. */
function useNames(ids: readonly string[], nameOf: (id: string) => Promise<string | null>) {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const missing = ids.filter((id) => !names.has(id)).join(' ');
  useEffect(() => {
    if (missing === '') return;
    let isOver = false;
    void (async () => {
      for (const id of missing.split(' ')) {
        // Without an answer, the reference shows its ID, as for a deleted record. Picking another one still works.
        const name = await nameOf(id).catch(() => null);
        if (isOver) return;
        setNames((before) => new Map(before).set(id, name ?? middleCut(id)));
      }
    })();
    return () => {
      isOver = true;
    };
  }, [missing, nameOf]);
  return {
    names,
    learn: (id: string, name: string) => setNames((before) => new Map(before).set(id, name)),
  };
}

export interface ReferenceInputProps extends FieldInputProps {
  /** Restricts what can be chosen: `{ categoryId }` for its sub-categories. */
  readonly query?: Readonly<Record<string, unknown>>;
}

const idsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : typeof value === 'string' ? [value] : [];

/** Names of the records that a stored value refers to. */
export function ReferenceNames({ to, value }: { readonly to: string; readonly value: unknown }) {
  const ids = idsOf(value);
  const { nameOf } = useReferences(to, undefined);
  const { names } = useNames(ids, nameOf);
  return listText(ids.map((id) => names.get(id) ?? '…'));
}

/** Chooses one record, or several, by typing part of a name. */
export function ReferenceInput({ field, form, className, query }: ReferenceInputProps) {
  const { path, label, help, isRequired, kind, to = '' } = field;
  const ids = idsOf(form.valueAt(path)).filter((id) => id !== '');
  const { find, nameOf } = useReferences(to, query);
  const { names, learn } = useNames(ids, nameOf);
  const [first = ''] = ids;
  const error = [...form.errors].find(([at]) => at === path || at.startsWith(`${path}/`))?.[1];
  const look = { label, isRequired, error, help: help === '' ? undefined : help, id: fieldId(path), className };
  if (!Object.hasOwn(referenceSources, to)) {
    return <TextField {...look} value={first} mono onChange={({ target }) => form.set(path, target.value || null)} />;
  }
  if (kind === 'reference') {
    return (
      <PickField
        {...look}
        required={isRequired && first !== ''}
        placeholder={t.none}
        shown={first === '' ? '' : (names.get(first) ?? '')}
        find={find}
        onPick={(pick) => {
          if (pick !== null) learn(pick.value, pick.label);
          form.set(path, pick?.value ?? null);
        }}
      />
    );
  }
  return (
    <div className="flex flex-col gap-1.5">
      {ids.length === 0 ? null : (
        <Field label={label} labelHidden>
          <div className="flex flex-wrap gap-1.5">
            {ids.map((id) => (
              <FilterChip
                key={id}
                removes={t.remove(names.get(id) ?? id)}
                onRemove={() =>
                  form.set(
                    path,
                    ids.filter((each) => each !== id),
                  )
                }
              >
                {names.get(id) ?? '…'}
              </FilterChip>
            ))}
          </div>
        </Field>
      )}
      <PickField
        {...look}
        placeholder={t.none}
        shown=""
        find={find}
        onPick={(pick) => {
          if (pick === null || ids.includes(pick.value)) return;
          learn(pick.value, pick.label);
          form.set(path, [...ids, pick.value]);
        }}
      />
    </div>
  );
}
