import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { canonicalJson, type Json } from '@arbiter/engine';
import { type HotStatement, type Tx, uuidArray } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { inflatedText } from '../../../platform/inflated-text.ts';
import type { PreparedState } from './prepare-import.ts';

type ModelStateJson = { readonly [key: string]: Json };

/** A model's learned state so far. */
export interface LearnedState {
  readonly state: ModelStateJson;
  readonly version: number;
  /** SHA-256 of the canonical form, in hex. */
  readonly hash: string | null;
  readonly samples: number;
  readonly learnedAt: Date | null;
}

const hashOf = (state: Json): Buffer => hash('sha256', canonicalJson(state), 'buffer');

/** Gives a new model its initial state. It learns from what comes later. */
export async function makeState(tx: Tx, modelId: string, state: ModelStateJson): Promise<void> {
  await tx.query(
    `insert into model_states (tenant_id, model_id, state, learned_to, silent_to) values ($1, $2, $3, 0, $4)`,
    [tx.tenantId, modelId, JSON.stringify(state), tx.now],
  );
}

/**
 * Returns the states of learning models, by model; `whole` false leaves the hash of the learned state to callers that
 * need it.
 */
export async function readStates(
  tx: Tx,
  ids: readonly string[],
  whole: boolean,
): Promise<ReadonlyMap<string, LearnedState>> {
  if (ids.length === 0) return new Map();
  // A state may have megabytes, so its hash is taken from where it was published.
  const rows = await tx.query<{
    id: string;
    state: ModelStateJson | null;
    hash: string | null;
    version: number;
    samples: number;
    learnedAt: Date | null;
  }>(
    `select model_id as id, case when not (known and not $3) then state end as state,
       case when known then encode(published_hash, 'hex') end as hash, state_version::float8 as version,
       samples::float8 as samples, learned_at as "learnedAt"
     from (select *, published_hash is not null and published_version = state_version as known
       from model_states where tenant_id = $1 and model_id = any($2::uuid[])) states`,
    [tx.tenantId, uuidArray(ids), whole],
  );
  return new Map(
    rows.map(({ id, state, hash, ...row }) => [
      id,
      { ...row, hash: hash ?? hashOf(state ?? {}).toString('hex'), state: whole ? (state ?? {}) : {} },
    ]),
  );
}

/** Returns a model's learned state, locked until the transaction ends. */
export async function lockState(tx: Tx, modelId: string): Promise<{ readonly state: ModelStateJson }> {
  const [row] = await tx.query<{ state: ModelStateJson }>(
    'select state from model_states where tenant_id = $1 and model_id = $2 for update',
    [tx.tenantId, modelId],
  );
  if (row === undefined) throw new Error(`the model ${modelId} has no state`);
  return row;
}

/** Replaces a learned state. The next decisions use it. */
export async function replaceState(
  tx: Tx,
  modelId: string,
  state: ModelStateJson,
  { samples = null }: { readonly samples?: number | null } = {},
): Promise<void> {
  await tx.query(
    `update model_states set state = $3, state_version = state_version + 1, samples = coalesce($4, samples),
       published_hash = null where tenant_id = $1 and model_id = $2`,
    [tx.tenantId, modelId, JSON.stringify(state), samples],
  );
}

/**
 * Replaces a learned state with a prepared one and publishes it, so that the first decision finds it. Takes little time for any
 * size of state.
 */
export async function replacePreparedState(
  tx: Tx,
  modelId: string,
  { text, body, hash: name }: PreparedState,
  samples: number,
): Promise<void> {
  await insertBody(tx, Buffer.from(name), Buffer.from(body));
  await tx.query(
    `update model_states set state = $3, state_version = state_version + 1, samples = $4,
       published_hash = $5, published_version = state_version + 1, published_at = $6
     where tenant_id = $1 and model_id = $2`,
    [tx.tenantId, modelId, text, samples, Buffer.from(name), tx.now],
  );
}

/** Stores a state under its hash, unless it exists. */
async function insertBody(tx: Tx, name: Buffer, body: Buffer): Promise<void> {
  await tx.query(
    `insert into model_state_bodies (tenant_id, hash, body, used_at) values ($1, $2, $3, $4)
     on conflict (tenant_id, hash) do update set used_at = excluded.used_at`,
    [tx.tenantId, name, body, tx.now],
  );
}

/** Minimum time between two published states. */
const publishEverySeconds = 10;
/** How often a state in use is marked as such; deleting relies on it. */
const touchEveryHours = 1;

/** A state that decisions use. */
export interface PublishedState {
  readonly modelId: string;
  /** Hex. */
  readonly hash: string;
}

/**
 * Publishes learned states that are due, and returns the current states of all models of the tenant. Each is stored by
 * its hash, for as long as a record may name it.
 */
export async function publishStates(tx: Tx): Promise<PublishedState[]> {
  const due = await tx.query<{ id: string; state: Json; version: number }>(
    `select model_id as id, state, state_version::float8 as version from model_states
     where tenant_id = $1 and (published_hash is null
       or (published_version < state_version and published_at <= $2::timestamptz - make_interval(secs => $3)))
     order by model_id for update`,
    [tx.tenantId, tx.now, publishEverySeconds],
  );
  for (const { id, state, version } of due) {
    const text = canonicalJson(state);
    const name = hash('sha256', text, 'buffer');
    await insertBody(tx, name, deflateRawSync(text));
    await tx.query(
      `update model_states set published_hash = $3, published_version = $4, published_at = $5
       where tenant_id = $1 and model_id = $2`,
      [tx.tenantId, id, name, version, tx.now],
    );
  }
  const published = await tx.query<PublishedState>(
    `select model_id as "modelId", encode(published_hash, 'hex') as hash from model_states
     where tenant_id = $1 and published_hash is not null order by model_id`,
    [tx.tenantId],
  );
  await tx.query(
    `update model_state_bodies set used_at = $2 where tenant_id = $1 and used_at < $2::timestamptz - make_interval(hours => $3)
       and hash in (select published_hash from model_states where tenant_id = $1)`,
    [tx.tenantId, tx.now, touchEveryHours],
  );
  return published;
}

/** Returns states by their hashes in hex. Throws 409 `record_corrupt` when one is missing or has another hash. */
export async function readStateBodies(tx: Tx, names: readonly string[]): Promise<ReadonlyMap<string, Json>> {
  if (names.length === 0) return new Map();
  const rows = await tx.query<{ name: string; body: Buffer }>(
    `select encode(hash, 'hex') as name, body from model_state_bodies where tenant_id = $1 and hash = any($2::bytea[])`,
    [tx.tenantId, names.map((name) => Buffer.from(name, 'hex'))],
  );
  const bodies = new Map<string, Json>();
  for (const { name, body } of rows) {
    const text = inflatedText(body, Buffer.from(name, 'hex'));
    if (text === null) throw new AppError('record_corrupt', { detail: "The state of a model doesn't match its hash." });
    bodies.set(name, JSON.parse(text));
  }
  if (names.some((name) => !bodies.has(name)))
    throw new AppError('record_corrupt', { detail: 'The state of a model is missing.' });
  return bodies;
}

/** A decision that learning models scored. */
export interface ScoredDecision {
  readonly decisionId: string;
  readonly modelId: string;
}

export function insertScored(tenantId: string, rows: readonly ScoredDecision[], at: Date): HotStatement {
  return {
    name: 'decisions.models',
    text: `insert into model_decisions (tenant_id, decision_id, model_id, made_at)
      select $1, u.decision_id, u.model_id, $4 from unnest($2::uuid[], $3::uuid[]) as u(decision_id, model_id)`,
    values: [tenantId, uuidArray(rows.map((row) => row.decisionId)), uuidArray(rows.map((row) => row.modelId)), at],
  };
}

const graceDays = 1;
const rowsPerSlice = 5_000;

/**
 * Deletes what no record needs, the oldest record being of `oldest`: states that were last used well before it, and which model
 * scored the decisions before it. True when there may be more.
 */
export async function expireModelStates(tx: Tx, oldest: Date): Promise<boolean> {
  await tx.query(
    `delete from model_state_bodies where tenant_id = $1 and used_at < $2::timestamptz - make_interval(days => $3)
       and hash not in (select published_hash from model_states where tenant_id = $1 and published_hash is not null)`,
    [tx.tenantId, oldest, graceDays],
  );
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select decision_id, model_id from model_decisions
       where tenant_id = $1 and made_at < $2::timestamptz - make_interval(days => $3) limit $4),
     gone as (
       delete from model_decisions d using due
       where d.tenant_id = $1 and d.decision_id = due.decision_id and d.model_id = due.model_id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, oldest, graceDays, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
