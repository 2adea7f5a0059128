/** Formats an instant for a local time field: `2026-12-09T08:00` in the time zone. Empty for an invalid one. */
export function localInstant(instant: string, timeZone: string): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? '' : localText(at, timeZone);
}

/**
 * Parses a local time field to an instant; null if invalid. Repeated hours resolve to the first; skipped hours to the time an
 * hour later.
 */
export function utcInstant(text: string, timeZone: string): string | null {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return null;
  // The UTC offset differs before and after a clock change, so try both.
  const ahead = (at: number): number => Date.parse(`${localText(at, timeZone)}Z`) - at;
  const tries = [wanted - ahead(wanted - dayMs), wanted - ahead(wanted + dayMs)].sort((a, b) => a - b);
  const found = tries.find((at) => localText(at, timeZone) === text.slice(0, 16)) ?? tries[1] ?? wanted;
  return new Date(found).toISOString();
}

const dayMs = 86_400_000;

function localText(at: number, timeZone: string): string {
  const written = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string => written.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}
