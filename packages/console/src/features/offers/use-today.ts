import { useNow } from '../../ui/as-of.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** The day in the tenant's zone, as `2026-11-22`. */
export function useToday(): string {
  const { timeZone } = useFormat().locale;
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', { timeZone, ...parts }).format(useNow());
}
