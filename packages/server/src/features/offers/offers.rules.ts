import type { ErrorEntry, OfferCreate, OfferSchedule, Role } from '@arbiter/contract';
import type { OfferRow } from './offers.store.ts';

/** The fields of an offer that a write may carry; `OfferCreate` with the name optional. */
export type OfferFields = Partial<OfferCreate>;

/** What decides whether and why an offer is forced (docs/design/quality.md E19). */
export interface Governance {
  readonly mandatory: boolean;
  readonly mandatoryReason: string | null;
  /** Epoch ms. */
  readonly mandatoryExpiresAt: number | null;
  readonly mandatoryApprovedBy: string | null;
}

const ungoverned: Governance = {
  mandatory: false,
  mandatoryReason: null,
  mandatoryExpiresAt: null,
  mandatoryApprovedBy: null,
};

/** Governance of a stored offer; of a new one without any. */
export function governanceOf(row: OfferRow | null): Governance {
  if (row === null) return ungoverned;
  return {
    mandatory: row.mandatory,
    mandatoryReason: row.mandatoryReason,
    mandatoryExpiresAt: row.mandatoryExpiresAt?.getTime() ?? null,
    mandatoryApprovedBy: row.mandatoryApprovedBy,
  };
}

/** Governance after the write. */
export function governanceAfter(current: Governance, fields: OfferFields): Governance {
  const { mandatoryExpiresAt: expires } = fields;
  return {
    mandatory: fields.mandatory ?? current.mandatory,
    mandatoryReason: fields.mandatoryReason === undefined ? current.mandatoryReason : fields.mandatoryReason,
    mandatoryExpiresAt:
      expires === undefined ? current.mandatoryExpiresAt : expires === null ? null : Date.parse(expires),
    mandatoryApprovedBy:
      fields.mandatoryApprovedBy === undefined
        ? current.mandatoryApprovedBy
        : (fields.mandatoryApprovedBy?.toLowerCase() ?? null),
  };
}

/** Sending the stored value again is not a change: an editor may send back a mandatory offer as it was read. */
export function governanceChanged(before: Governance, after: Governance): boolean {
  return (
    before.mandatory !== after.mandatory ||
    before.mandatoryReason !== after.mandatoryReason ||
    before.mandatoryExpiresAt !== after.mandatoryExpiresAt ||
    before.mandatoryApprovedBy !== after.mandatoryApprovedBy
  );
}

/** Only an admin changes `mandatory` or its three fields. */
export const mayGovern = (role: Role): boolean => role === 'admin';

/** What a mandatory offer lacks. `now`: epoch ms; an expiry at this very instant is past. */
export function governanceProblems(after: Governance, now: number): ErrorEntry[] {
  if (!after.mandatory) return [];
  const problems: ErrorEntry[] = [];
  if (after.mandatoryReason === null || after.mandatoryReason.trim() === '') {
    problems.push({ path: '/mandatoryReason', message: 'is required when mandatory is true' });
  }
  if (after.mandatoryExpiresAt === null) {
    problems.push({ path: '/mandatoryExpiresAt', message: 'is required when mandatory is true' });
  } else if (!(after.mandatoryExpiresAt > now)) {
    problems.push({ path: '/mandatoryExpiresAt', message: 'must be in the future' });
  }
  if (after.mandatoryApprovedBy === null) {
    problems.push({ path: '/mandatoryApprovedBy', message: 'is required when mandatory is true' });
  }
  return problems;
}

const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function isDay(text: string): boolean {
  const parts = dayPattern.exec(text);
  if (parts === null) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** A day that exists, or an instant with offset on such a day. */
function isScheduleDate(text: string): boolean {
  if (dayPattern.test(text)) return isDay(text);
  return instantPattern.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

/**
 * The schedule's meaning beyond its shape: dates that exist, end not before start, a zone we know
 * (docs/design/api-catalogue.md 6). A day and an instant are compared by the day alone.
 */
export function scheduleProblems(schedule: OfferSchedule, zoneProblem: (zone: string) => string | null): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const { startDate: start, endDate: end, timezone: zone } = schedule;
  for (const [key, value] of [
    ['startDate', start],
    ['endDate', end],
  ] as const) {
    if (typeof value === 'string' && !isScheduleDate(value)) {
      problems.push({ path: `/schedule/${key}`, message: 'must be YYYY-MM-DD or an instant with offset' });
    }
  }
  const message = typeof zone === 'string' ? zoneProblem(zone) : null;
  if (message !== null) problems.push({ path: '/schedule/timezone', message });
  if (problems.length === 0 && typeof start === 'string' && typeof end === 'string' && endsBeforeStart(start, end)) {
    problems.push({ path: '/schedule/endDate', message: 'is before startDate' });
  }
  return problems;
}

function endsBeforeStart(start: string, end: string): boolean {
  const bothInstants = !dayPattern.test(start) && !dayPattern.test(end);
  return bothInstants ? Date.parse(end) < Date.parse(start) : end.slice(0, 10) < start.slice(0, 10);
}

/** Parts of an offer that no decision reads yet: a limit that would not limit is refused, never stored. */
const unavailableParts = ['budget', 'inventory', 'frequencyCaps'] as const;

export function unavailableProblems(fields: OfferFields): ErrorEntry[] {
  return unavailableParts
    .filter((key) => Object.keys(fields[key] ?? {}).length > 0)
    .map((key) => ({ path: `/${key}`, message: 'is not supported yet; it must be empty' }));
}

/** Longest metadata, in bytes of UTF-8 JSON. */
const metadataBytes = 64 * 1024;

/** `bytes`: size of a text in UTF-8. */
export function sizeProblems(fields: OfferFields, bytes: (text: string) => number): ErrorEntry[] {
  if (fields.metadata === undefined || bytes(JSON.stringify(fields.metadata)) <= metadataBytes) return [];
  return [{ path: '/metadata', message: `must be at most ${metadataBytes} bytes` }];
}
