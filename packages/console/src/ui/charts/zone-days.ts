/** Minutes that the clocks of a zone are ahead of UTC at an instant. */
export function zoneOffset(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return Math.round((local - Math.floor(at / 60_000) * 60_000) / 60_000);
}

/** The day of an instant in a zone, as 2026-11-23. */
export function dayOf(at: number, timeZone: string): string {
  return new Date(at + zoneOffset(at, timeZone) * 60_000).toISOString().slice(0, 10);
}

/** When a day of a zone begins, in milliseconds; of a day written as 2026-11-23. */
export function startOf(day: string, timeZone: string): number {
  return instantOf(Date.parse(`${day}T00:00:00Z`), timeZone);
}

/** The instant at which the clocks of a zone show `local`, which is written as if it were UTC. */
export function instantOf(local: number, timeZone: string): number {
  // Use the offset at the instant itself: on days when clocks change, it differs from the one at the start.
  const guess = local - zoneOffset(local, timeZone) * 60_000;
  return local - zoneOffset(guess, timeZone) * 60_000;
}
