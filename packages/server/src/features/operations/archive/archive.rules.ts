import type { Archive } from '@arbiter/contract';
import { firstIdAt } from '../../../platform/ids.ts';
import { type Part, pathOf } from '../../deciding/archived-months/index.ts';

const dayMs = 86_400_000;

/** Days for which a restored month stays in the database. */
const restoredDays = 30;

/** Formats a UTC month as `2026-05`. */
const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

const startOf = (month: string, plus = 0): number => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number - 1 + plus);
};

/** The first id of a month, and that of the next one. */
export const idsOf = (month: string): { readonly from: string; readonly to: string } => ({
  from: firstIdAt(startOf(month)),
  to: firstIdAt(startOf(month, 1)),
});

/** Returns months from an instant on (epoch ms) that ended at least that many days ago, oldest first. */
export function closedMonths(first: number, now: number, afterDays: number): string[] {
  const months: string[] = [];
  for (let month = monthOf(first); startOf(month, 1) + afterDays * dayMs <= now; month = monthOf(startOf(month, 1))) {
    months.push(month);
  }
  return months;
}

/** Returns true while a restored part keeps its month in the database. */
export const holdsMonth = ({ state, restoredAt }: Part, now: Date): boolean =>
  state === 'restoring' ||
  (state === 'restored' && restoredAt !== null && now.getTime() - restoredAt.getTime() < restoredDays * dayMs);

/** A part as the API shows it. */
export function showArchive(tenantId: string, part: Part): Archive {
  const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
  return {
    id: part.id,
    kind: part.kind,
    month: part.month,
    state: part.state,
    rows: part.rows,
    excluded: part.excluded.length,
    bytes: part.bytes,
    sha256: part.sha256?.toString('hex') ?? null,
    path: pathOf(tenantId, part),
    createdAt: part.createdAt.toISOString(),
    archivedAt: iso(part.archivedAt),
    verifiedAt: iso(part.verifiedAt),
    restoredAt: iso(part.restoredAt),
    problem: part.problem,
  };
}
