import {
  defaultPage,
  type EnrollmentStatus,
  type JourneyEnrollment,
  maxStepsShown,
  type Pagination,
  pageSize,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { countByStatus, countCurrent, countSteps } from './enrollment-figures.store.ts';
import { assertEnabled, endEnrollment, enroll } from './enrollments.service.ts';
import {
  countEnrollments,
  type EnrollmentRow,
  lockEnrollment,
  type StepRow,
  selectEnrollment,
  selectEnrollments,
  selectSteps,
} from './enrollments.store.ts';
import type { EnrollmentRequest } from './journey-ports.ts';
import { journeySpec } from './journeys.store.ts';

/** Returns an enrollment as answers show it. */
function showEnrollment(row: EnrollmentRow, steps: readonly StepRow[]): JourneyEnrollment {
  const { visit: _visit, untilEvent: _until, isWoken: _woken, depth: _depth, results, ...shown } = row;
  return {
    ...shown,
    context: { ...row.context, ...results },
    resumeAt: row.resumeAt?.toISOString() ?? null,
    expiresAt: row.expiresAt.toISOString(),
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    history: steps.map(({ nodeType, at, detail, ...step }) => ({
      ...step,
      type: nodeType,
      detail: detail === null ? null : { ...detail },
      at: at.toISOString(),
    })),
  };
}

const showWithSteps = async (tx: Tx, row: EnrollmentRow): Promise<JourneyEnrollment> =>
  showEnrollment(row, await selectSteps(tx, row.id, maxStepsShown));

/** Enrolls a customer for a caller of the API, with an audit row for a new enrollment. */
export async function enrollByHand(tx: Tx, request: EnrollmentRequest) {
  const { enrollment, isNew } = await enroll(tx, request);
  if (isNew) await auditEnrollment(tx, 'create', null, enrollment);
  return { enrollment: await showWithSteps(tx, enrollment), isNew };
}

/** Audit rows outlive erasures, so they name the enrollment and not the customer (docs/design/quality.md T25). */
async function auditEnrollment(
  tx: Tx,
  action: 'create' | 'update',
  before: EnrollmentRow | null,
  { id, journeyId, journeyVersion, status, exitReason }: EnrollmentRow,
): Promise<void> {
  await recordAudit(tx, {
    action,
    entityType: 'journeyEnrollment',
    entityId: id,
    entityName: null,
    ...(before === null ? {} : { before: { status: before.status } }),
    after: before === null ? { journeyId, journeyVersion, status } : { status, exitReason },
  });
}

const missing = () => new AppError('not_found', { detail: 'This enrollment does not exist.' });

/** Shows an enrollment with its history. Throws 404 for a journey or enrollment that is missing, also if deleted. */
export async function readEnrollment(tx: Tx, journeyId: string, id: string): Promise<JourneyEnrollment> {
  const journey = await getRecord(tx, journeySpec, journeyId);
  const row = await selectEnrollment(tx, journey.id, id);
  if (row === undefined) throw missing();
  return showWithSteps(tx, row);
}

/** Ends a running enrollment early. Throws 404, 409 `invalid_transition` if it has ended, 403 `feature_disabled`. */
export async function exitEnrollment(tx: Tx, journeyId: string, id: string, reason: string) {
  await assertEnabled(tx);
  const journey = await getRecord(tx, journeySpec, journeyId);
  if ((await selectEnrollment(tx, journey.id, id)) === undefined) throw missing();
  const row = await lockEnrollment(tx, id);
  if (row === undefined) throw missing();
  if (row.endedAt !== null) {
    throw new AppError('invalid_transition', { detail: `The enrollment is already ${row.status}.` });
  }
  await endEnrollment(tx, row, 'exited', reason);
  const after = await selectEnrollment(tx, journey.id, id);
  if (after === undefined) throw missing();
  await auditEnrollment(tx, 'update', row, after);
  return showWithSteps(tx, after);
}

export interface EnrollmentQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly status?: EnrollmentStatus;
  readonly customerId?: string;
}

/** A page of a journey's enrollments, newest first, without their steps. */
export async function listEnrollments(
  tx: Tx,
  journeyId: string,
  query: EnrollmentQuery,
): Promise<{ data: JourneyEnrollment[]; pagination: Pagination }> {
  const { id } = await getRecord(tx, journeySpec, journeyId);
  if (query.cursor !== undefined && (await selectEnrollment(tx, id, query.cursor)) === undefined) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const filter = { journeyId: id, status: query.status ?? null, customerId: query.customerId ?? null };
  const limit = pageSize(defaultPage, query.limit);
  const rows = await selectEnrollments(tx, filter, query.cursor ?? null, limit + 1);
  const page = pageOf({ rows, limit, total: await countEnrollments(tx, filter), cursorOf: (row) => row.id });
  return { data: page.rows.map((row) => showEnrollment(row, [])), pagination: page.pagination };
}

/** Counts a journey's enrollments and steps. */
export async function readStats(tx: Tx, journeyId: string) {
  const { id, definition } = await getRecord(tx, journeySpec, journeyId);
  const byStatus = await countByStatus(tx, id);
  const steps = await countSteps(tx, id);
  const current = await countCurrent(tx, id);
  const of = (status: EnrollmentStatus): number => byStatus.get(status) ?? 0;
  return {
    entered: [...byStatus.values()].reduce((sum, count) => sum + count, 0),
    active: of('active') + of('waiting'),
    completed: of('completed'),
    exited: of('exited'),
    failed: of('failed'),
    expired: of('expired'),
    byNode: definition.nodes.map(({ id: nodeId }) => ({
      nodeId,
      passed: steps.get(nodeId) ?? 0,
      current: current.get(nodeId) ?? 0,
    })),
  };
}
