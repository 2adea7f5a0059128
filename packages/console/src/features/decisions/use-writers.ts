import { useMemo } from 'react';
import { middleCut } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import type { Writers } from './gates.ts';

/** Writers for gates, drops and flips; `names` tells the names of offers. */
export function useWriters(names?: ReadonlyMap<string, string>): Writers {
  const format = useFormat();
  return useMemo(
    () => ({
      number: (value) => format.number(value, 4),
      instant: (text) => format.instant(text),
      offer: (id) => names?.get(id) ?? middleCut(id),
    }),
    [format, names],
  );
}
