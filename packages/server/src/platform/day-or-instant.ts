import { invalid } from './app-error.ts';
import { isDate, isDateTime } from './formats.ts';
import { dayRange } from './zones.ts';

/**
 * One end of a half-open range of time: an RFC 3339 instant as it is, or a day (`2026-11-20`) in the tenant's zone,
 * whose start (`from`) or end (`to`) is meant (docs/design/api-access.md 1, Timestamps). `path` names the parameter in the error.
 */
export function dayOrInstant(path: string, text: string, zone: string, end: 'start' | 'end'): Date {
  if (isDateTime(text)) return new Date(text);
  if (!isDate(text)) throw invalid(path, 'must be a day, or an instant with a zone, such as 2026-11-20T09:00:00Z');
  const day = dayRange(zone, text);
  return new Date(end === 'start' ? day.startMs : day.endMs);
}

/** `from` and `to` of a list over time, each null when it was not asked for. `zone` is asked for days only. */
export async function askedRange(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  zone: () => Promise<string>,
): Promise<{ readonly from: Date | null; readonly to: Date | null }> {
  if (from === undefined && to === undefined) return { from: null, to: null };
  const own = await zone();
  return {
    from: from === undefined ? null : dayOrInstant('query.from', from, own, 'start'),
    to: to === undefined ? null : dayOrInstant('query.to', to, own, 'end'),
  };
}
