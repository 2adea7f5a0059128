/** Digits of a number that a double holds for sure. */
const safeDigits = 15;

/** Parses JSON, with numbers as text wherever a double would lose digits. */
export function parseExact(text: string): unknown {
  if (!/[\d.]{16}/.test(text)) return JSON.parse(text);
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined) return value;
    return source.replace(/[^\d]/g, '').length > safeDigits && String(value) !== source ? source : value;
  };
  return JSON.parse(text, revive);
}
