import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { middleCut } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import type { Writers } from './gates.ts';

/** Returns formatters for gates, drops and flips; `names` has the offer names. */
export function useWriters(names?: ReadonlyMap<string, string>): Writers {
  const format = useFormat();
  const segments = useOperation(segmentOperations.list, { query: { limit: 200 } }).data;
  return useMemo(
    () => ({
      number: (value) => format.number(value, 4),
      instant: (text) => format.instant(text),
      offer: (id) => names?.get(id) ?? middleCut(id),
      segment: (key) => segments?.data.find(({ id }) => id === key)?.name ?? key,
    }),
    [format, names, segments],
  );
}
