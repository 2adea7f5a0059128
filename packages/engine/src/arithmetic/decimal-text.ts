const DECIMAL = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Returns the number in a text: only digits with an optional sign, decimals and exponent. Null for every other text and
 * for numbers too large for a double.
 */
export function parseDecimal(text: string): number | null {
  const first = text.charCodeAt(0);
  if (!(first >= 48 && first <= 57) && first !== 45 && first !== 43) return null;
  if (text.length > 400 || !DECIMAL.test(text)) return null;
  const value = Number(text) + 0;
  return Number.isFinite(value) ? value : null;
}
