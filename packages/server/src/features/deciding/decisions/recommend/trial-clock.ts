import { invalid } from '../../../../platform/app-error.ts';

const earliest = Date.UTC(2000, 0, 1);
const behindLatest = Date.UTC(2101, 0, 1);

/**
 * Returns `now` of a preview decision in epoch ms; null: the server's clock. Throws 400 outside 2000 to 2100
 * (docs/design/api-settled.md 84).
 */
export function readTrialClock(sent: string | undefined): number | null {
  if (sent === undefined) return null;
  const at = Date.parse(sent);
  if (Number.isNaN(at)) throw invalid('/now', 'must be an instant');
  if (at < earliest || at >= behindLatest) throw invalid('/now', 'must be between 2000 and 2100');
  return at;
}
