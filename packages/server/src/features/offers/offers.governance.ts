import type { Tx } from '../../db/tx.ts';
import { AppError, invalid, refuseProblems } from '../../platform/app-error.ts';
import { personBehind } from '../credentials/index.ts';
import { readSettings } from '../settings/index.ts';
import { isActiveAdmin } from '../users/index.ts';
import {
  governanceAfter,
  governanceChanged,
  governanceOf,
  governanceProblems,
  mayGovern,
  type OfferFields,
} from './offers.rules.ts';
import type { OfferRow } from './offers.store.ts';

/**
 * Mandatory offers (part 2, 4.3; docs/design/quality.md E19): only an admin changes `mandatory` or its three fields (403), a
 * mandatory offer has all three, ends in the future, and its approver is an active admin of the tenant, who may be the
 * caller unless the tenant asks for four eyes. A write that changes none of them passes, also after the expiry.
 */
export async function checkGovernance(tx: Tx, current: OfferRow | null, fields: OfferFields): Promise<void> {
  const before = governanceOf(current);
  const after = governanceAfter(before, fields);
  if (!governanceChanged(before, after)) return;
  if (!mayGovern(tx.actor.role)) {
    throw new AppError('forbidden', {
      detail: 'Only an admin may make an offer mandatory or change how it is governed.',
    });
  }
  refuseProblems(governanceProblems(after, tx.now.getTime()));
  if (!after.mandatory || after.mandatoryApprovedBy === null) return;
  if (!(await isActiveAdmin(tx, after.mandatoryApprovedBy))) {
    throw invalid('/mandatoryApprovedBy', 'must be an active admin of this tenant');
  }
  const { fourEyesEnabled } = await readSettings(tx);
  if (fourEyesEnabled && after.mandatoryApprovedBy === (await personBehind(tx))) {
    throw invalid('/mandatoryApprovedBy', 'must be another user than the caller: this tenant asks for four eyes');
  }
}
