import { invalid } from '../app-error.ts';
import { isDate, isDateTime } from '../formats.ts';
import { dayRange } from './zones.ts';

/**
 * Returns one end of a time range: an RFC 3339 instant, or a date, which means its first instant in the tenant's zone
 * (docs/design/api-settled.md 80). `path` names the parameter in the error.
 */
export function dayOrInstant(path: string, text: string, zone: string): Date {
  if (isDateTime(text)) return new Date(text);
  if (!isDate(text)) throw invalid(path, 'must be a date, or an instant with an offset, such as 2026-11-20T09:00:00Z');
  return new Date(dayRange(zone, text).startMs);
}

/** `from`, inclusive, and `to`, exclusive; null where it was not sent. `zone` is read only when one was. */
export async function askedRange(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  zone: () => Promise<string>,
): Promise<{ readonly from: Date | null; readonly to: Date | null }> {
  if (from === undefined && to === undefined) return { from: null, to: null };
  const own = await zone();
  return {
    from: from === undefined ? null : dayOrInstant('query.from', from, own),
    to: to === undefined ? null : dayOrInstant('query.to', to, own),
  };
}
