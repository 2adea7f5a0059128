import { useCallback, useEffect, useState } from 'react';
import { useAsk } from '../../../data/use-ask.ts';
import { listText } from '../../../messages/catalogue/conditions.ts';
import { middleCut } from '../../../ui/format.ts';
import type { Pick } from '../../../ui/pick-field.tsx';
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
      const page = (await ask(source.list, { query: { ...query, ...words, limit: maxFound } })) as {
        readonly data: readonly Named[];
      } | null;
      return (page?.data ?? []).map(({ id, key, name, status }) => ({
        ...{ value: source.by === 'name' ? name : source.by === 'key' ? (key ?? id) : id, label: name },
        ...(status === undefined || status === 'active' ? {} : { detail: status }),
      }));
    },
    [ask, to, query],
  );
  const nameOf = useCallback(
    async (id: string): Promise<string | null> => {
      const source = await referenceSources[to]?.();
      if (source === undefined) return null;
      if (source.by === 'name') return id;
      if (source.by === 'key') {
        const page = (await ask(source.list, { query: { search: id, limit: maxFound } })) as {
          readonly data: readonly Named[];
        } | null;
        return page?.data.find(({ key }) => key === id)?.name ?? id;
      }
      const record = (await ask(source.get, { params: { id } })) as Named | null;
      return record?.name ?? null;
    },
    [ask, to],
  );
  return { find, nameOf };
}

/** Names of records by ID, loaded one after the other. A record that's gone keeps its ID. */
export function useNames(ids: readonly string[], nameOf: (id: string) => Promise<string | null>) {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  // As a text, so that the effect runs once for the same records. References by name have spaces.
  const missing = ids.filter((id) => !names.has(id)).join('\n');
  useEffect(() => {
    if (missing === '') return;
    let isOver = false;
    void (async () => {
      for (const id of missing.split('\n')) {
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

/** Returns the IDs in a stored value. */
export const idsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : typeof value === 'string' ? [value] : [];

/** Names of the records that a stored value refers to. */
export function ReferenceNames({ to, value }: { readonly to: string; readonly value: unknown }) {
  const ids = idsOf(value);
  const { nameOf } = useReferences(to, undefined);
  const { names } = useNames(ids, nameOf);
  return listText(ids.map((id) => names.get(id) ?? '…'));
}
