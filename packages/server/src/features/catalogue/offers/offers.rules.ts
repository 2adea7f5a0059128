import type { ErrorEntry, OfferCreate, Role } from '@arbiter/contract';
import type { OfferRow } from './offers.store.ts';

/** Fields of an offer that a write may contain: `OfferCreate` with an optional name. */
export type OfferFields = Partial<OfferCreate>;

/** What determines whether and why an offer is forced (docs/design/quality.md E19). */
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

/** Governance of a stored offer; of a new one, empty. */
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

/** Sending the stored value again isn't a change, so an editor can send back a mandatory offer as it was read. */
export function governanceChanged(before: Governance, after: Governance): boolean {
  return (
    before.mandatory !== after.mandatory ||
    before.mandatoryReason !== after.mandatoryReason ||
    before.mandatoryExpiresAt !== after.mandatoryExpiresAt ||
    before.mandatoryApprovedBy !== after.mandatoryApprovedBy
  );
}

/** The four properties as responses show them. */
export function shownGovernance({ mandatoryExpiresAt: expires, ...rest }: Governance) {
  return { ...rest, mandatoryExpiresAt: expires === null ? null : new Date(expires).toISOString() };
}

/** Only an admin changes `mandatory` or its three fields. */
export const mayGovern = (role: Role): boolean => role === 'admin';

/** Returns what a mandatory offer lacks. `now` is in epoch ms; an expiry at exactly `now` has passed. */
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

/** Limit on the metadata, in bytes of UTF-8 JSON. */
const metadataBytes = 64 * 1024;

/** `bytes` returns the UTF-8 size of a text. */
export function sizeProblems(fields: OfferFields, bytes: (text: string) => number): ErrorEntry[] {
  if (fields.metadata === undefined || bytes(JSON.stringify(fields.metadata)) <= metadataBytes) return [];
  return [{ path: '/metadata', message: `must be at most ${metadataBytes} bytes` }];
}
