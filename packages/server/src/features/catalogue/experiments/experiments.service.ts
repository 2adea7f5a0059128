import type { ExperimentCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { readSettings } from '../../identity/settings/index.ts';
import {
  type Addressed,
  createRecord,
  type NewRecord,
  requireLive,
  softDeleteRecord,
  updateRecord,
} from '../catalogue-records/index.ts';
import { outcomeKeys } from '../outcomes/index.ts';
import { type Arms, canChangeStatus, problemsOfArms, sameModels } from './experiments.rules.ts';
import { type ExperimentRow, experimentSpec, lockChampionOfExperiments, otherRunning } from './experiments.store.ts';

/** Share of the champion of an experiment that names none. */
const defaultSplit = { championPct: 80 };

/** Throws 403 `feature_disabled` if experiments are off for the tenant (docs/design/api-access.md 6). */
async function assertEnabled(tx: Tx): Promise<void> {
  if ((await readSettings(tx)).enableExperiments) return;
  throw new AppError('feature_disabled', {
    detail: 'Experiments are disabled. Enable them with the setting enableExperiments.',
  });
}

/**
 * Creates an experiment; with status `active` it starts. Throws 400 for shares that don't add up to 100, a challenger
 * that is the champion and models that don't exist, 409 `limit_reached` when the champion already has an active
 * experiment, and 403 `feature_disabled`.
 */
export async function createExperiment(tx: Tx, { trafficSplit, ...body }: ExperimentCreate): Promise<ExperimentRow> {
  await assertEnabled(tx);
  const split = trafficSplit === undefined ? defaultSplit : splitOf(trafficSplit);
  const values = { ...body, ...idsOf(body), trafficSplit: split };
  await assertArms(tx, { holdoutPercent: 0, ...values });
  await assertMetric(tx, body.metric);
  const isActive = body.status === 'active';
  if (isActive) await assertOnlyOne(tx, values.championModelId, null);
  const hasEnded = body.status === 'completed' || body.status === 'archived';
  return createRecord(tx, experimentSpec, {
    ...values,
    ...(isActive ? { startedAt: tx.now } : {}),
    ...(hasEnded ? { endedAt: tx.now } : {}),
  });
}

const splitOf = (split: NonNullable<ExperimentCreate['trafficSplit']>): { readonly championPct: number } =>
  typeof split === 'number' ? { championPct: split } : split;

/** IDs as the database writes them, inside JSON too. */
const idsOf = ({ championModelId, challengers }: Pick<ExperimentRow, 'championModelId' | 'challengers'>) => ({
  championModelId: championModelId.toLowerCase(),
  challengers: challengers.map((challenger) => ({ ...challenger, modelId: challenger.modelId.toLowerCase() })),
});

/** The models are kept from being deleted until the transaction ends. */
async function assertArms(tx: Tx, arms: Arms): Promise<void> {
  refuseProblems(problemsOfArms(arms));
  await requireLive(tx, 'algorithmModel', arms.championModelId, '/championModelId');
  for (const [at, { modelId }] of arms.challengers.entries()) {
    await requireLive(tx, 'algorithmModel', modelId, `/challengers/${at}/modelId`);
  }
}

async function assertMetric(tx: Tx, metric: string | undefined): Promise<void> {
  if (metric === undefined || metric === 'positive' || metric === 'convert') return;
  if ((await outcomeKeys(tx)).has(metric)) return;
  const message = 'must be positive, convert or the key of an existing outcome type';
  throw new AppError('reference_not_found', { detail: `/metric ${message}.`, errors: [{ path: '/metric', message }] });
}

async function assertOnlyOne(tx: Tx, championModelId: string, exceptId: string | null): Promise<void> {
  await lockChampionOfExperiments(tx, championModelId);
  const other = await otherRunning(tx, championModelId, exceptId);
  if (other === null) return;
  throw new AppError('limit_reached', {
    detail: `The experiment ${JSON.stringify(other.name)} (${other.id}) is active with this champion. Pause or complete it first.`,
    errors: [
      { path: '/status', message: `can't be active: ${JSON.stringify(other.name)} is active with this champion` },
    ],
  });
}

type ExperimentChanges = Partial<Omit<ExperimentCreate, 'key'>>;

/**
 * Changes the given fields. A later `promoteAfterDays` lets the daily job judge the experiment again. Throws like
 * `createExperiment`, and 409 `invalid_transition` for a status that can't follow, and for other models of an experiment
 * that has started.
 */
export async function changeExperiment(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  { trafficSplit, ...changes }: ExperimentChanges,
): Promise<ExperimentRow> {
  await assertEnabled(tx);
  return updateRecord(tx, experimentSpec, id, {
    rowVersion,
    async change(current) {
      const split = trafficSplit === undefined ? {} : { trafficSplit: splitOf(trafficSplit) };
      const given = { ...current, ...defined(changes), ...split };
      const next = { ...given, ...idsOf(given) };
      await assertTransition(tx, current, next);
      return {
        ...changes,
        championModelId: next.championModelId,
        challengers: next.challengers,
        ...split,
        ...instantsOf(tx, current, next),
        ...(next.promoteAfterDays > current.promoteAfterDays ? { autoPromoteVerdict: null } : {}),
      };
    },
  });
}

/** Leaves out what wasn't given. */
function defined<Values extends object>(values: Values): { [K in keyof Values]: Exclude<Values[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // The mapped type says what fromEntries can't: the same keys, none of them undefined.
  return Object.fromEntries(entries) as { [K in keyof Values]: Exclude<Values[K], undefined> };
}

async function assertTransition(tx: Tx, current: ExperimentRow, next: ExperimentRow): Promise<void> {
  if (!canChangeStatus(current.status, next.status)) {
    throw new AppError('invalid_transition', {
      detail: `${current.status === 'archived' ? 'An' : 'A'} ${current.status} experiment can't become ${next.status}.`,
      errors: [{ path: '/status', message: `can't follow ${current.status}` }],
    });
  }
  if (current.startedAt !== null && !sameModels(current, next)) {
    throw new AppError('invalid_transition', {
      detail:
        "The models of an experiment can't change once it has started. Change their shares, or create another one.",
      errors: [{ path: '/challengers', message: 'must have the same models in the same order' }],
    });
  }
  const hasEnded = next.status === 'completed' || next.status === 'archived';
  // What has ended keeps its models, which may be deleted by now.
  if (hasEnded) refuseProblems(problemsOfArms(next));
  else await assertArms(tx, next);
  if (next.metric !== current.metric) await assertMetric(tx, next.metric);
  if (next.status === 'active') await assertOnlyOne(tx, next.championModelId, current.id);
}

function instantsOf(tx: Tx, current: ExperimentRow, { status }: ExperimentRow): NewRecord<ExperimentRow> {
  const ends = status === 'completed' || status === 'archived';
  return {
    ...(status === 'active' && current.startedAt === null ? { startedAt: tx.now } : {}),
    ...(ends && current.endedAt === null ? { endedAt: tx.now } : {}),
  };
}

/** Soft-deletes an experiment; its champion then scores for everyone. Throws 403 `feature_disabled`. */
export async function deleteExperiment(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await assertEnabled(tx);
  await softDeleteRecord(tx, experimentSpec, id, { addressed });
}
