/** An instant as a field for local time has it: `2026-12-09T08:00`, in the zone of this browser. Empty when it is none. */
export function localInstant(instant: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What such a field says as an instant of the API; null when it says none. */
export function utcInstant(text: string): string | null {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
