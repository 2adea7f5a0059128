import type { AutoPromoteVerdict, RegistryStatus } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { findRecord, lockRecord, updateRecord } from '../../catalogue/catalogue-records/index.ts';
import { type ExperimentRow, experimentSpec, isDue, selectDueExperiments } from '../../catalogue/experiments/index.ts';
import { modelSpec, type PromotePorts, promoteModel, registryMoves } from '../../catalogue/models/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { announce } from './announce.service.ts';
import { judge } from './results.rules.ts';
import { resultsOf } from './results.service.ts';

export interface JudgePorts extends PromotePorts {
  readonly database: Database;
  /** Default: that of the models. */
  readonly promote?: typeof promoteModel;
}

const actor = systemActor('experiments-judge');

/**
 * Judges a tenant's experiments that are due, each once and in a transaction of its own. Nothing while experiments are
 * disabled.
 */
export async function judgeDue(
  { database, findModelUses, measureModel, promote = promoteModel }: JudgePorts,
  tenantId: string,
): Promise<void> {
  const moves = (tx: Tx, id: string, status: RegistryStatus) =>
    promote(tx, id, { toStatus: status }, { findModelUses, measureModel });
  const due = await database.withTenant(tenantId, actor, async (tx) =>
    (await readSettings(tx)).enableExperiments ? selectDueExperiments(tx) : [],
  );
  for (const { id } of due) {
    try {
      await database.withTenant(tenantId, actor, (tx) => judgeOne(tx, id, moves));
    } catch (error) {
      if (!isGuard(error)) throw error;
      // The promotion was rolled back with its transaction.
      await database.withTenant(tenantId, actor, (tx) => noteVerdict(tx, id, 'guard'));
    }
  }
}

const isGuard = (error: unknown): boolean => error instanceof AppError && error.code === 'rollback_guard';

/** Null: someone has changed, completed or deleted it since it was found. */
async function lockDue(tx: Tx, id: string): Promise<ExperimentRow | null> {
  const experiment = await findRecord(tx, experimentSpec, id, 'change');
  return experiment !== null && experiment.deletedAt === null && isDue(experiment, tx.now) ? experiment : null;
}

type MoveModel = (tx: Tx, id: string, status: RegistryStatus) => Promise<unknown>;

async function judgeOne(tx: Tx, id: string, move: MoveModel): Promise<void> {
  const experiment = await lockDue(tx, id);
  if (experiment === null) return;
  const { verdict, winner } = judge(await resultsOf(tx, experiment), experiment.promoteThreshold);
  if (winner?.modelId == null) {
    await store(tx, id, verdict, () => ({}));
    return;
  }
  const winnerId = winner.modelId;
  const { registryStatus } = await lockRecord(tx, modelSpec, winnerId);
  for (const status of registryMoves(registryStatus, 'champion')) {
    await move(tx, winnerId, status);
  }
  await store(tx, id, verdict, (current) => ({
    status: 'completed' as const,
    endedAt: tx.now,
    championModelId: winnerId,
    testedChampionId: current.championModelId,
    challengers: current.challengers.map((challenger) =>
      challenger.modelId === winnerId ? { ...challenger, modelId: current.championModelId } : challenger,
    ),
  }));
}

async function noteVerdict(tx: Tx, id: string, verdict: AutoPromoteVerdict): Promise<void> {
  if ((await lockDue(tx, id)) !== null) await store(tx, id, verdict, () => ({}));
}

async function store(
  tx: Tx,
  id: string,
  verdict: AutoPromoteVerdict,
  change: (current: ExperimentRow) => Partial<ExperimentRow>,
): Promise<void> {
  const judged = await updateRecord(tx, experimentSpec, id, {
    action: verdict === 'promoted' ? 'promote' : 'update',
    change: (current) => ({ ...change(current), autoPromoteVerdict: verdict }),
  });
  await announce(tx, judged, verdict);
}
