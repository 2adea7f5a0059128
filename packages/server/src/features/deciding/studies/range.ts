import type { Tx } from '../../../db/index.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { dayOrInstant } from '../../../platform/time/day-or-instant.ts';
import { removedBefore, retentionOf } from '../../operations/retention/index.ts';
import { archivedMonths } from '../archived-months/index.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * Reads the range of a study. Throws 400 when it's empty, and 409 `history_unavailable` when records of its beginning were
 * deleted by retention or archived; `from` is the earliest possible start.
 */
export async function requireRange(
  tx: Tx,
  range: { readonly from: string; readonly to: string },
  zone: string,
): Promise<{ readonly from: string; readonly to: string }> {
  const from = dayOrInstant('/from', range.from, zone);
  const to = dayOrInstant('/to', range.to, zone);
  if (from >= to) throw invalid('/from', 'must be before to');
  const { days, legalHold } = await retentionOf(tx, 'decisions');
  const oldestMs = legalHold ? Number.NEGATIVE_INFINITY : tx.now.getTime() - days * dayMs;
  const removedMs = (await removedBefore(tx, 'decisions'))?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (from.getTime() < Math.max(oldestMs, removedMs)) {
    // A little later, so that it's still possible when the caller uses it.
    const first = new Date((Math.floor(Math.max(oldestMs, removedMs) / hourMs) + 2) * hourMs);
    throw unavailable(
      first,
      oldestMs >= removedMs ? `Decisions are deleted after ${days} days.` : 'Older decisions were deleted.',
    );
  }
  const months = await archivedMonths(tx, ['decisions'], { from, to });
  const last = months.at(-1);
  if (last !== undefined) {
    const [year = 0, month = 0] = last.split('-').map(Number);
    throw unavailable(
      new Date(Date.UTC(year, month, 1)),
      `Decisions of ${months.join(', ')} are archived. Restore them, or choose a later start.`,
    );
  }
  return { from: from.toISOString(), to: to.toISOString() };
}

const unavailable = (from: Date, why: string): AppError =>
  new AppError('history_unavailable', {
    detail: `${why} The earliest possible start is ${from.toISOString()}.`,
    errors: [{ path: '/from', message: `must be ${from.toISOString()} or later` }],
    members: { from: from.toISOString() },
  });
