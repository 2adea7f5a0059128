import { hash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import {
  defaultPage,
  type FileAnswer,
  maxStudyRows,
  type OverlayChange,
  pageSize,
  type Study,
  type StudyStarted,
  type StudySummary,
  studyDays,
} from '@arbiter/contract';
import { canonicalJson } from '@arbiter/engine';
import { systemActor, type Tx } from '../../../db/index.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { asJson } from '../../../platform/json.ts';
import { type FlowPorts, flowVersionToTry, type RunnableFlow } from '../../catalogue/flows/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type GitopsPorts, withOverlay } from '../../operations/gitops/index.ts';
import { type CandidatePlan, readCandidate, storeCandidate } from '../plans/index.ts';
import { endAndContinue } from './run-study.ts';
import { shownStudy } from './shown-study.ts';
import {
  countOpenStudies,
  countStudies,
  findOpenStudy,
  findStudy,
  insertStudy,
  type StudyRow,
  selectStudies,
} from './studies.store.ts';
import { readRowLines } from './study-chunks.store.ts';
import { enqueueStudy } from './study-job.ts';
import type { StudySpec } from './study-kind.ts';

export interface StudyPorts extends GitopsPorts, FlowPorts {}

/** Maximum studies of a tenant that are queued or running. */
const maxOpen = 20;

/** A question for a study. */
export interface StudyRequest {
  readonly kind: StudyRow['kind'];
  /** ID or key of the flow. */
  readonly flow: string;
  readonly version: 'draft' | number;
  readonly overlay: readonly OverlayChange[];
  /** Published version to compare with; null for the recorded answers. */
  readonly base: number | null;
  /** Checks the range and returns the question to store. Throws AppError. */
  readonly spec: (tx: Tx) => Promise<StudySpec>;
}

/**
 * Stores a study and queues it. The plan is compiled with the overlay applied, and stored.
 * Throws 404 for an unknown flow or version, 422 for a draft that can't run and `overlay_invalid`, 409 `study_running` and
 * `limit_reached`.
 */
export async function startStudy(ports: StudyPorts, facts: RequestFacts, request: StudyRequest): Promise<StudyStarted> {
  const { requestId, until } = facts;
  const inTenant = <T>(work: (tx: Tx) => Promise<T>, snapshot = false) =>
    ports.database.withTenant(facts.tenantId, facts.actor, work, { requestId, until, snapshot });
  // A plan is made of one version of the catalogue, even while someone changes it.
  const before = await inTenant(
    async (tx) => ({
      spec: await request.spec(tx),
      base: request.base === null ? null : await candidateOf(tx, ports, request.flow, request.base),
    }),
    true,
  );
  const read = (tx: Tx) => candidateOf(tx, ports, request.flow, request.version);
  const candidate =
    request.overlay.length > 0 ? await withOverlay(ports, facts, request.overlay, read) : await inTenant(read, true);
  const id = newId();
  await inTenant((tx) => storeStudy(tx, id, request, { ...before, candidate }));
  return { studyId: id, jobId: id };
}

interface FlowCandidate {
  readonly flow: RunnableFlow;
  readonly plan: CandidatePlan;
}

async function candidateOf(tx: Tx, ports: FlowPorts, name: string, version: 'draft' | number): Promise<FlowCandidate> {
  const flow = await flowVersionToTry(tx, name, version, ports);
  return { flow, plan: await readCandidate(tx, flow) };
}

interface StudyParts {
  readonly spec: StudySpec;
  readonly base: FlowCandidate | null;
  readonly candidate: FlowCandidate;
}

async function storeStudy(tx: Tx, id: string, { kind }: StudyRequest, parts: StudyParts): Promise<void> {
  const { spec, base, candidate } = parts;
  const plans = [candidate.plan, ...(base === null ? [] : [base.plan])];
  if ((await countOpenStudies(tx)) >= maxOpen) {
    throw new AppError('limit_reached', {
      detail: `${maxOpen} studies are already queued or running. Wait until one ends, or cancel one.`,
    });
  }
  for (const plan of plans) await storeCandidate(tx, plan);
  const flowId = candidate.flow.id;
  const text = canonicalJson(
    asJson({ kind, flowId, spec, plans: plans.map(({ sealed }) => sealed.hash.toString('hex')) }),
  );
  const specHash = hash('sha256', text, 'buffer');
  const isNew = await insertStudy(tx, {
    ...{ id, kind, flowId, spec, specHash },
    candidateHash: candidate.plan.sealed.hash,
    baseHash: base?.plan.sealed.hash ?? null,
    baseConfigVersion: candidate.plan.version,
    routing: 'scope' in spec && spec.scope === 'route' ? candidate.plan.routing : null,
    keptDays: studyDays,
  });
  if (!isNew) throw alreadyRunning(await findOpenStudy(tx, specHash));
  await enqueueStudy(tx, id);
  await recordAudit(tx, {
    action: 'create',
    entityType: 'study',
    entityId: id,
    entityName: candidate.flow.key,
    after: { kind, flowId, spec: asJson(spec) },
  });
}

const alreadyRunning = (studyId: string | null): AppError =>
  new AppError('study_running', {
    detail: `Study ${studyId} is identical and still queued or running. Wait for its result or cancel it.`,
    members: { studyId },
  });

export async function getStudy(tx: Tx, id: string): Promise<Study> {
  return show(await requireStudy(tx, id));
}

/** Returns the row of a study. Throws 404, also for a study of another kind if one is given. */
export async function requireStudy(tx: Tx, id: string, kind: StudyRow['kind'] | null = null): Promise<StudyRow> {
  const row = await findStudy(tx, id);
  if (row === null || (kind !== null && row.kind !== kind)) {
    throw new AppError('not_found', { detail: 'Study not found.' });
  }
  return row;
}

export interface StudyListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly kind?: string | undefined;
  readonly flowId?: string | undefined;
}

/** Returns a page of studies, newest first. Throws 400 `invalid_cursor`. */
export async function listStudies(tx: Tx, query: StudyListQuery) {
  const { cursor, flowId } = query;
  if (cursor !== undefined && (await findStudy(tx, cursor)) === null) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const limit = pageSize(defaultPage, query.limit);
  // Text that isn't an id matches no flow.
  const filter = {
    kind: query.kind ?? null,
    flowId: flowId === undefined || isUuid(flowId) ? (flowId ?? null) : newId(),
  };
  const rows = await selectStudies(tx, filter, cursor ?? null, limit + 1);
  const page = pageOf({ rows, limit, total: await countStudies(tx, filter), cursorOf: (row) => row.id });
  return { data: page.rows.map(summaryOf), pagination: page.pagination };
}

/** Cancels a queued or running study. Throws 404, and 409 `invalid_transition` if it has ended. */
export async function cancelStudy(tx: Tx, id: string): Promise<Study> {
  const { id: studyId, status } = await requireStudy(tx, id);
  if ((await endAndContinue(tx, studyId, { status: 'cancelled' })) === null) {
    throw new AppError('invalid_transition', { detail: 'The study has already ended.' });
  }
  await recordAudit(tx, {
    action: 'update',
    entityType: 'study',
    entityId: studyId,
    entityName: null,
    before: { status },
    after: { status: 'cancelled' },
  });
  return getStudy(tx, studyId);
}

/** The changed decisions of a completed study as a file. Audited. 404. */
export async function readRows(ports: StudyPorts, facts: RequestFacts, id: string): Promise<FileAnswer> {
  const { tenantId } = facts;
  const row = await ports.database.withTenant(tenantId, facts.actor, async (tx) => {
    const found = await requireStudy(tx, id);
    await recordAudit(tx, {
      action: 'read',
      entityType: 'study',
      entityId: found.id,
      entityName: null,
      after: { rows: true },
    });
    return found;
  });
  return {
    fileName: `study-${row.id}.ndjson`,
    content: row.status === 'completed' ? linesOf(ports, tenantId, row.id) : '',
  };
}

async function* linesOf({ database }: StudyPorts, tenantId: string, studyId: string): AsyncGenerator<string> {
  let left = maxStudyRows;
  for (let from = 0; left > 0; ) {
    const next = from;
    const some = await database.withTenant(tenantId, systemActor('study'), (tx) => readRowLines(tx, studyId, next));
    for (const { bytes } of some) {
      const lines = inflateRawSync(bytes).toString('utf8').split('\n').slice(0, -1).slice(0, left);
      left -= lines.length;
      if (lines.length > 0) yield `${lines.join('\n')}\n`;
    }
    const last = some.at(-1);
    if (last === undefined) return;
    from = last.number + 1;
  }
}

const summaryOf = (row: StudyRow): StudySummary => ({
  id: row.id,
  kind: row.kind,
  flowId: row.flowId,
  status: row.status,
  progress: { decisions: row.judged, total: row.total },
  error: row.error,
  candidateHash: row.candidateHash.toString('hex'),
  configVersion: Number(row.baseConfigVersion),
  dataCut: row.dataCut.toISOString(),
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  completedAt: row.completedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt.toISOString(),
});

const show = (row: StudyRow): Study => ({
  ...summaryOf(row),
  spec: shownSpec(row.spec),
  result: shownStudy(row),
});

/** A request without patches, and without what only the study needs. */
function shownSpec(stored: StudySpec): Study['spec'] {
  const { overlay } = stored;
  const changed = overlay === undefined ? {} : { overlay: overlay.map(({ kind, key }) => ({ kind, key })) };
  if (!('known' in stored)) return { ...stored, ...changed };
  const { version, offerIds } = stored;
  return { version, offerIds: offerIds === null ? null : [...offerIds], ...changed };
}
