import { DateTime, IANAZone } from 'luxon';

/** True for a zone name of the tz database that this process knows (`Europe/Paris`, `UTC`). */
export function isZone(name: string): boolean {
  // Offsets (`+02:00`) are valid to the runtime, but they are no zones: they know no change of the clock.
  return /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);
}

/** Start and end of a calendar day (`2026-11-20`) in a zone, as epoch ms, end exclusive: 23 to 25 hours. */
export function dayRange(zone: string, day: string): { startMs: number; endMs: number } {
  const start = DateTime.fromISO(day, { zone }).startOf('day');
  if (!start.isValid) throw new RangeError(`not a day in a known zone: ${day} ${zone}`);
  return { startMs: start.toMillis(), endMs: start.plus({ days: 1 }).startOf('day').toMillis() };
}
