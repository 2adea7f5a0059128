/** Reads an amount in units of a currency as cents: `12.5` is 1250, so is `12,5`. Null for anything else. */
export function centsOf(text: string): number | null {
  const match = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.trim());
  if (match === null) return null;
  const [, units = '0', rest = ''] = match;
  return Number(units) * 100 + Number(rest.padEnd(2, '0'));
}

/** Writes cents as units: `12.50`, and `12` for whole ones. */
export function unitsOf(cents: unknown): string {
  if (typeof cents !== 'number') return '';
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2);
}
