import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid, refuseProblems } from '../../../platform/app-error.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { isSamePerson } from '../../identity/credentials/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { isActiveAdmin } from '../../identity/users/index.ts';
import {
  type Governance,
  governanceAfter,
  governanceChanged,
  governanceOf,
  governanceProblems,
  mayGovern,
  type OfferFields,
  shownGovernance,
} from './offers.rules.ts';
import type { OfferRow } from './offers.store.ts';

/** What a write changes in an offer's governance. */
export interface GovernanceChange {
  readonly before: Governance;
  readonly after: Governance;
}

/**
 * Checks mandatory offers (docs/design/quality.md E19). Only an admin may change `mandatory` or its three fields (403).
 * A mandatory offer has all three, expires in the future, and its approver is an active admin of the tenant: the caller
 * too, unless the tenant requires a second person. A write that changes none of them passes, even after the expiry.
 * Returns the changes; null if there are none.
 */
export async function checkGovernance(
  tx: Tx,
  current: OfferRow | null,
  fields: OfferFields,
): Promise<GovernanceChange | null> {
  const before = governanceOf(current);
  const after = governanceAfter(before, fields);
  if (!governanceChanged(before, after)) return null;
  if (!mayGovern(tx.actor.role)) {
    throw new AppError('forbidden', {
      detail: 'Only admins can make an offer mandatory or change its governance fields.',
    });
  }
  refuseProblems(governanceProblems(after, tx.now.getTime()));
  if (!after.mandatory || after.mandatoryApprovedBy === null) return { before, after };
  if (!(await isActiveAdmin(tx, after.mandatoryApprovedBy))) {
    throw invalid('/mandatoryApprovedBy', 'must be an active admin of this tenant');
  }
  const { fourEyesEnabled } = await readSettings(tx);
  if (fourEyesEnabled && (await isSamePerson(tx, after.mandatoryApprovedBy, tx.now))) {
    throw invalid('/mandatoryApprovedBy', 'must be someone other than you: four-eyes is on for this tenant');
  }
  return { before, after };
}

/** Adds an audit row for a change of the mandate, next to the row of the write (docs/design/api-settled.md 53). */
export async function noteGovernance(tx: Tx, row: OfferRow, change: GovernanceChange | null): Promise<void> {
  if (change === null) return;
  await recordAudit(tx, {
    action: 'mandatory_override',
    entityType: 'offer',
    entityId: row.id,
    entityName: row.name,
    entityVersion: row.version,
    before: shownGovernance(change.before),
    after: shownGovernance(change.after),
  });
}
