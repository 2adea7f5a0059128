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

/** What a write changes of how an offer is governed. */
export interface GovernanceChange {
  readonly before: Governance;
  readonly after: Governance;
}

/**
 * Mandatory offers (docs/design/quality.md E19): only an admin changes `mandatory` or its three fields (403), a
 * mandatory offer has all three, ends in the future, and its approver is an active admin of the tenant, who may be the
 * caller unless the tenant asks for four eyes. A write that changes none of them passes, also after the expiry.
 * Returns what it changes; null when that is nothing.
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

/** Says in the audit log that the mandate was changed, beside the row of the write (docs/design/api-settled.md 53). */
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
