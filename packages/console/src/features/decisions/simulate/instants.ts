/** An instant as a field for local time has it: `2026-12-09T08:00`, in the zone given. Empty when it is none. */
export function localInstant(instant: string, timeZone: string): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? '' : localText(at, timeZone);
}

/**
 * What such a field says as an instant of the API; null when it says none. Of an hour that there is twice the first is meant;
 * one that is skipped is taken as the clock shows it an hour later.
 */
export function utcInstant(text: string, timeZone: string): string | null {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return null;
  // What the clock of the zone is ahead of UTC differs on both sides of a change: both are tried.
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
