import type { PromoteRequest, RegistryStatus } from '@arbiter/contract';
import { round6 } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { getRecord, inUse, lockRecord, updateRecord } from '../catalogue-records/index.ts';
import { breachesOf, defaultThresholds, type GuardBreach } from './guard.rules.ts';
import { canMove } from './models.rules.ts';
import type { FindModelUses } from './models.service.ts';
import { lockChampion, lockFamily, type ModelRow, modelSpec } from './models.store.ts';
import { trainingBaseline } from './trainings.store.ts';

/** Port: how a model fares on recent decisions. */
export type MeasureModel = (
  tx: Tx,
  model: ModelRow,
) => Promise<{ readonly psi: Readonly<Record<string, number>>; readonly errorRate: number | null }>;

export interface PromotePorts {
  readonly findModelUses: FindModelUses;
  readonly measureModel: MeasureModel;
}

/**
 * Moves a model in the registry; the champion that the family had is archived with it. 409 `invalid_transition`; `in_use`
 * when a flow in use names the family and would be left without a champion of it; `rollback_guard` when the new champion
 * would be worse, unless an admin bypasses the guard.
 */
export async function promoteModel(
  tx: Tx,
  id: string,
  request: PromoteRequest,
  ports: PromotePorts,
): Promise<ModelRow> {
  const { toStatus } = request;
  const { family } = await getRecord(tx, modelSpec, id);
  if (family !== null) await lockFamily(tx, family);
  // A flow that is being published and names the model, by whatever name, is waited for.
  const row = await lockRecord(tx, modelSpec, id, 'delete');
  assertCanMove(row.registryStatus, toStatus);
  if (row.registryStatus === 'champion' && row.family !== null) {
    const led = row.family;
    // Files that are applied name the next champion in the same transaction.
    tx.atEnd(() => assertLed(tx, led, ports.findModelUses));
  }
  if (request.bypassRollbackGuard === true && tx.actor.role !== 'admin') {
    throw new AppError('forbidden', { detail: 'Only admins can bypass the rollback guard.' });
  }
  if (toStatus === 'champion' && row.family !== null) {
    const other = await lockChampion(tx, row.family, row.id);
    if (other !== null) {
      await guard(tx, row, other, request, ports.measureModel);
      await updateRecord(tx, modelSpec, other, {
        action: 'promote',
        change: () => ({ registryStatus: 'archived' as const }),
      });
    }
  }
  return updateRecord(tx, modelSpec, id, { action: 'promote', change: () => ({ registryStatus: toStatus }) });
}

function assertCanMove(from: RegistryStatus, to: RegistryStatus): void {
  if (canMove(from, to)) return;
  throw new AppError('invalid_transition', {
    detail: `A model with registry status ${from} can't become ${to}.`,
    errors: [{ path: '/toStatus', message: `can't follow ${from}` }],
  });
}

/** Throws 409 `rollback_guard` when the model would replace a better champion. A bypass is noted in the audit log. */
async function guard(
  tx: Tx,
  model: ModelRow,
  championId: string,
  { metricsSnapshot, rollbackThresholds, bypassRollbackGuard }: PromoteRequest,
  measureModel: MeasureModel,
): Promise<void> {
  const auc = metricsSnapshot?.auc ?? (await trainingBaseline(tx, model.id))?.metrics?.auc ?? null;
  const championAuc = (await trainingBaseline(tx, championId))?.metrics?.auc ?? null;
  if (auc === null || championAuc === null) return;
  const isMeasured = metricsSnapshot?.psi !== undefined && metricsSnapshot.errorRate !== undefined;
  const measured = isMeasured ? { psi: {}, errorRate: null } : await measureModel(tx, model);
  const breaches = breachesOf(
    {
      auc,
      championAuc,
      psi: metricsSnapshot?.psi ?? measured.psi,
      errorRate: metricsSnapshot?.errorRate ?? measured.errorRate,
    },
    { ...defaultThresholds, ...rollbackThresholds },
  );
  if (breaches.length === 0) return;
  const shown = breaches.map((breach) => ({ ...breach, value: round6(breach.value) }));
  if (bypassRollbackGuard !== true) {
    throw new AppError('rollback_guard', {
      detail: `This model would be worse than its family's champion: ${shown.map(breachText).join('; ')}.`,
      members: { breaches: shown },
    });
  }
  await recordAudit(tx, {
    action: 'promote',
    entityType: 'algorithmModel',
    entityId: model.id,
    entityName: model.name,
    entityVersion: model.version,
    after: { bypassRollbackGuard: true, breaches: shown },
  });
}

function breachText({ metric, predictor, value, threshold }: GuardBreach): string {
  if (metric === 'psi') return `the PSI of ${predictor} is ${value}, above ${threshold}`;
  return `the ${metric === 'auc_drop' ? 'drop of the AUC' : 'error rate'} is ${value}, above ${threshold}`;
}

async function assertLed(tx: Tx, family: string, findUses: FindModelUses): Promise<void> {
  if ((await lockChampion(tx, family)) !== null) return;
  const entries = (await findUses(tx, [family])).map((use) => ({
    path: '/toStatus',
    message: `would leave the family ${JSON.stringify(family)} without a champion, but decision flow ${JSON.stringify(use.name)} (${use.id}) scores with it; promote another of its models instead`,
  }));
  if (entries.length > 0) throw inUse('model', entries);
}
