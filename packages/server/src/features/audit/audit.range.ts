import { invalid } from '../../platform/app-error.ts';
import { isDate, isDateTime } from '../../platform/formats.ts';
import { dayRange } from '../../platform/zones.ts';

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
