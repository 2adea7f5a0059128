import { type Json, learningTypes } from '@arbiter/engine';
import { type Tx, uuidArray } from '../../../db/index.ts';
import type { ScoredDecision } from './states.store.ts';

/** A model with its learned state, locked until the transaction ends. */
export interface LearningModel {
  readonly id: string;
  readonly modelType: string;
  readonly config: { readonly [key: string]: Json };
  readonly predictors: readonly Json[];
  /** False: it isn't used in decisions or doesn't learn on its own, so events don't reach it. */
  readonly learns: boolean;
  readonly outcomeWeights: Readonly<Record<string, number>>;
  readonly noResponseHours: number | null;
  readonly state: { readonly [key: string]: Json };
  /** Position of the stream up to which it has learned. */
  readonly learnedTo: number;
  /** Decisions up to this instant were looked through for impressions without a response. */
  readonly silentTo: Date;
  /** True: it has not learned yet, and scored no decision. */
  readonly isNew: boolean;
}

/** Returns true when any model of the tenant can learn. */
export async function hasLearningModels(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    `select exists (select from model_states s join algorithm_models m on m.tenant_id = s.tenant_id and m.id = s.model_id
       where s.tenant_id = $1 and m.deleted_at is null and m.model_type = any($2::text[])) as found`,
    [tx.tenantId, learningTypes],
  );
  return row?.found === true;
}

/** Returns the tenant's models that can learn, locked in one order; others that teach them wait. */
export async function lockLearningModels(tx: Tx): Promise<LearningModel[]> {
  return tx.query<LearningModel>(
    `select m.id, m.model_type as "modelType", m.config, m.predictors,
       m.status = 'active' and m.auto_learn and m.learn_mode = 'continuous' as learns,
       m.outcome_weights as "outcomeWeights", (m.learning_config ->> 'noResponseHours')::int as "noResponseHours",
       s.state, s.learned_to::float8 as "learnedTo", s.silent_to as "silentTo",
       s.learned_to = 0 and not exists (
         select from model_decisions d where d.tenant_id = $1 and d.model_id = s.model_id) as "isNew"
     from model_states s join algorithm_models m on m.tenant_id = s.tenant_id and m.id = s.model_id
     where s.tenant_id = $1 and m.deleted_at is null and m.model_type = any($2::text[])
     order by s.model_id for update of s`,
    [tx.tenantId, learningTypes],
  );
}

/** Writes how far a model has learned, and its state if that changed; `lessons` is the number of outcomes new to it. */
export async function saveLearned(
  tx: Tx,
  { id, learnedTo, silentTo }: LearningModel,
  state: LearningModel['state'] | null,
  lessons: number,
): Promise<void> {
  await tx.query(
    `update model_states set state = coalesce($3::jsonb, state), learned_to = $4, silent_to = $5, samples = samples + $6,
       state_version = state_version + case when $6 > 0 then 1 else 0 end,
       learned_at = case when $6 > 0 then $7 else learned_at end
     where tenant_id = $1 and model_id = $2`,
    [tx.tenantId, id, state === null ? null : JSON.stringify(state), learnedTo, silentTo, lessons, tx.now],
  );
}

/** Returns which models scored these decisions. */
export async function readScored(tx: Tx, decisionIds: readonly string[]): Promise<ScoredDecision[]> {
  if (decisionIds.length === 0) return [];
  return tx.query<ScoredDecision>(
    `select decision_id as "decisionId", model_id as "modelId" from model_decisions
     where tenant_id = $1 and decision_id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(decisionIds)],
  );
}

/** Decisions that a model scored after one instant and up to another, oldest first; all of one instant, so a few more than `limit`. */
export async function readScoredBetween(
  tx: Tx,
  {
    modelId,
    after,
    upTo,
    limit,
  }: { readonly modelId: string; readonly after: Date; readonly upTo: Date; readonly limit: number },
): Promise<{ readonly decisionId: string; readonly madeAt: Date }[]> {
  return tx.query(
    `select decision_id as "decisionId", made_at as "madeAt" from model_decisions
     where tenant_id = $1 and model_id = $2 and made_at > $3 and made_at <= (
       select max(made_at) from (
         select made_at from model_decisions
         where tenant_id = $1 and model_id = $2 and made_at > $3 and made_at <= $4 order by made_at limit $5) first)
     order by made_at, decision_id`,
    [tx.tenantId, modelId, after, upTo, limit],
  );
}
