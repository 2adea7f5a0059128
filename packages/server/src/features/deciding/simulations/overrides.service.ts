import type { SimulationOverrides } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { AppError, invalid, refusalBelow } from '../../../platform/app-error.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { policyToTry } from '../../catalogue/contact-policies/index.ts';
import type { CatalogueOverlay } from '../plans/index.ts';

/** Returns the changes that a simulation tries, checked like a write. Throws 400 and 403 with paths in the body. */
export async function overlayOf(
  tx: Tx,
  { offerIds = [], contactPolicies = [] }: SimulationOverrides,
): Promise<CatalogueOverlay> {
  for (const [at, id] of offerIds.entries()) await requireLive(tx, 'offer', id, `/overrides/offerIds/${at}`);
  const policies: CatalogueOverlay['policies'][number][] = [];
  for (const [at, trial] of contactPolicies.entries()) {
    const path = `/overrides/contactPolicies/${at}`;
    const policy = await policyToTry(tx, trial).catch((error: unknown) => {
      throw error instanceof AppError ? refusalBelow(path, error) : error;
    });
    if (policies.some(({ id }) => id === policy.id)) throw invalid(`${path}/id`, 'is listed more than once');
    policies.push(policy);
  }
  return { offerIds: [...new Set(offerIds.map((id) => id.toLowerCase()))], policies };
}
