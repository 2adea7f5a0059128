import type { RankingProfileCreate, RankingWeights } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import {
  type Addressed,
  createRecord,
  freeKey,
  inUse,
  inUseEntry,
  keyFromName,
  lockMadeKeys,
  type RecordChange,
  softDeleteRecord,
  updateRecord,
} from '../catalogue-records/index.ts';
import { canRank } from './ranking-profiles.rules.ts';
import { profileKeysLike, type RankingProfileRow, rankingProfileSpec } from './ranking-profiles.store.ts';

/** Something that ranks by a profile. */
export interface ProfileUse {
  readonly noun: string;
  readonly name: string;
  readonly id: string;
}

/** Port for the features above: who ranks by this profile? */
export type FindProfileUses = (tx: Tx, profileId: string) => Promise<readonly ProfileUse[]>;

function assertCanRank(weights: RankingWeights | undefined): void {
  if (weights !== undefined && !canRank(weights)) throw invalid('/weights', 'must have at least one weight above 0');
}

/** Creates a profile; a key that is not given is made from the name. 400 when no weight is above 0. */
export async function createRankingProfile(tx: Tx, body: RankingProfileCreate): Promise<RankingProfileRow> {
  assertCanRank(body.weights);
  const wanted = keyFromName(body.name, 'profile');
  if (body.key === undefined) await lockMadeKeys(tx, rankingProfileSpec.resource.path);
  // Numbered forms of a long key are shorter in front, so the look-up leaves room for the number.
  const key = body.key ?? freeKey(wanted, await profileKeysLike(tx, wanted.slice(0, 55)));
  return createRecord(tx, rankingProfileSpec, { ...body, key });
}

/** Changes the supplied fields; weights are replaced as a whole. */
export async function changeRankingProfile(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<RankingProfileRow>,
): Promise<RankingProfileRow> {
  return updateRecord(tx, rankingProfileSpec, id, {
    rowVersion,
    change() {
      assertCanRank(changes.weights);
      return changes;
    },
  });
}

/** Soft-deletes a profile; 409 `in_use` while a flow, draft or published, or the settings of the tenant name it. */
export async function deleteRankingProfile(
  tx: Tx,
  id: string,
  addressed: Addressed,
  findUses: FindProfileUses,
): Promise<void> {
  await softDeleteRecord(tx, rankingProfileSpec, id, {
    addressed,
    async check(row) {
      const uses = await findUses(tx, row.id);
      const entries = uses.map((use) => inUseEntry(addressed, use.noun, use.name, use.id));
      if (entries.length > 0) throw inUse('ranking profile', entries);
    },
  });
}
