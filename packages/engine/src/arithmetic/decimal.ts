/**
 * Finds the shortest decimal form of a double, and rounds on it (docs/design/api-decisioning.md 1): 2.675 is "2.675",
 * so two decimals give 2.68 although the double is smaller.
 */
interface Decimal {
  readonly negative: boolean;
  /** Significant digits without leading zeros; empty for 0. */
  readonly digits: string;
  /** The value is 0.digits times 10 to the point. */
  readonly point: number;
}

const POWERS_OF_TEN = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
/** Below this, a product with a power of ten is wrong by less than 1e-7, which tells a tie from its neighbors. */
const SAFE_SCALED = 536_870_912;

/** Rounds half away from zero to `digits` decimals, -15 to 15. Never returns -0. Non-finite numbers are unchanged. */
export function roundHalfAway(x: number, digits: number): number {
  if (Number.isInteger(x) && digits >= 0) return x + 0;
  const power = POWERS_OF_TEN[digits];
  if (power !== undefined) {
    const magnitude = Math.abs(x);
    const scaled = magnitude * power;
    if (scaled < SAFE_SCALED) {
      const whole = Math.floor(scaled);
      const rest = scaled - whole;
      if (rest < 0.499999 || rest > 0.500001) {
        const rounded = (rest < 0.5 ? whole : whole + 1) / power;
        return x < 0 ? 0 - rounded : rounded;
      }
    }
  }
  if (!Number.isFinite(x)) return x;
  const decimal = roundDecimal(decimalOf(x), digits);
  if (decimal.digits === '') return 0;
  const magnitude = Number(`${decimal.digits}e${decimal.point - decimal.digits.length}`);
  return decimal.negative ? -magnitude : magnitude;
}

/** Rounds to six decimals, for scores, components and probabilities in answers and traces. */
export function round6(x: number): number {
  return roundHalfAway(x, 6);
}

/** `1234.5` with 2 digits is `1,234.50`. `digits` 0 to 15; x finite. */
export function groupedDecimal(x: number, digits: number): string {
  const decimal = roundDecimal(decimalOf(x), digits);
  const whole = decimal.point > 0 ? decimal.digits.slice(0, decimal.point).padEnd(decimal.point, '0') : '0';
  const fraction = (
    decimal.point > 0 ? decimal.digits.slice(decimal.point) : '0'.repeat(-decimal.point) + decimal.digits
  )
    .slice(0, digits)
    .padEnd(digits, '0');
  let grouped = whole.slice(0, whole.length % 3);
  for (let at = whole.length % 3; at < whole.length; at += 3) {
    grouped += (grouped === '' ? '' : ',') + whole.slice(at, at + 3);
  }
  const text = digits === 0 ? grouped : `${grouped}.${fraction}`;
  return decimal.negative && decimal.digits !== '' ? `-${text}` : text;
}

function decimalOf(x: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(Math.abs(x)).split('e');
  const dot = mantissa.indexOf('.');
  const whole = dot < 0 ? mantissa : mantissa.slice(0, dot);
  const all = dot < 0 ? mantissa : whole + mantissa.slice(dot + 1);
  const leading = leadingZeros(all);
  return { negative: x < 0, digits: all.slice(leading), point: whole.length - leading + Number(exponent) };
}

function leadingZeros(digits: string): number {
  let count = 0;
  while (digits[count] === '0') count += 1;
  return count;
}

function roundDecimal(decimal: Decimal, digits: number): Decimal {
  const keep = decimal.point + digits;
  if (keep >= decimal.digits.length) return decimal;
  if (keep < 0 || decimal.digits === '') return { negative: decimal.negative, digits: '', point: 0 };
  const keptDigits = decimal.digits.slice(0, keep);
  if ((decimal.digits[keep] as string) < '5') return { ...decimal, digits: keptDigits };
  let nines = keptDigits.length;
  while (nines > 0 && keptDigits[nines - 1] === '9') nines -= 1;
  if (nines === 0) return { negative: decimal.negative, digits: '1', point: decimal.point + 1 };
  return { ...decimal, digits: keptDigits.slice(0, nines - 1) + String(Number(keptDigits[nines - 1]) + 1) };
}
