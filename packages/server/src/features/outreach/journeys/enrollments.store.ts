import type { EnrollmentStatus, JourneyNodeType, JourneyStep } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { JourneyDecision } from './journey-ports.ts';

/** Words of closed lists, and types of JSON columns. */
type StoredEnrollment = {
  status: EnrollmentStatus;
  context: Readonly<Record<string, unknown>>;
  results: Readonly<Record<string, JourneyDecision>>;
};

const enrollmentColumns = columns(table<'journey_enrollments', StoredEnrollment>('journey_enrollments'), [
  'id',
  'journeyId',
  'journeyVersion',
  'customerId',
  'status',
  'currentNodeId',
  'visit',
  'resumeAt',
  'untilEvent',
  'isWoken',
  'expiresAt',
  'context',
  'results',
  'depth',
  'startedAt',
  'endedAt',
  'exitReason',
]);

export type EnrollmentRow = RowOf<typeof enrollmentColumns>;

/** Serializes enrollments of a customer in a journey, so that `skip_if_active` is exact. Held until the end. */
export async function lockCustomerInJourney(tx: Tx, journeyId: string, customerId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.journey:' || $1 || ':' || $2, 0))`, [
    journeyId,
    customerId,
  ]);
}

export async function insertEnrollment(tx: Tx, row: EnrollmentRow): Promise<void> {
  await tx.query(
    `insert into arbiter.journey_enrollments (tenant_id, id, journey_id, journey_version, customer_id, status,
       current_node_id, visit, expires_at, context, depth, started_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12)`,
    [
      tx.tenantId,
      row.id,
      row.journeyId,
      row.journeyVersion,
      row.customerId,
      row.status,
      row.currentNodeId,
      row.visit,
      row.expiresAt,
      JSON.stringify(row.context),
      row.depth,
      row.startedAt,
    ],
  );
}

/** Locks an enrollment until the transaction ends. Undefined if it was deleted. */
export async function lockEnrollment(tx: Tx, id: string): Promise<EnrollmentRow | undefined> {
  const [row] = await select(
    tx,
    enrollmentColumns,
    'from arbiter.journey_enrollments where tenant_id = $1 and id = $2 for update',
    [tx.tenantId, id],
  );
  return row;
}

/** The running enrollments of a customer in a journey, newest first, locked until the transaction ends. */
export async function lockRunning(tx: Tx, journeyId: string, customerId: string): Promise<EnrollmentRow[]> {
  return select(
    tx,
    enrollmentColumns,
    `from arbiter.journey_enrollments where tenant_id = $1 and customer_id = $3 and journey_id = $2
       and status in ('active', 'waiting') order by id desc for update`,
    [tx.tenantId, journeyId, customerId],
  );
}

/** Enrollments of a customer that wait for this event, in id order, locked until the transaction ends. */
export async function lockWaitingFor(tx: Tx, customerId: string, eventType: string): Promise<EnrollmentRow[]> {
  return select(
    tx,
    enrollmentColumns,
    `from arbiter.journey_enrollments where tenant_id = $1 and customer_id = $2 and status = 'waiting'
       and until_event = $3 and not is_woken order by id for update`,
    [tx.tenantId, customerId, eventType],
  );
}

/** The position of an enrollment after a step. `dueAt` null: a job continues with it, or it has ended. */
export interface EnrollmentState
  extends Pick<
    EnrollmentRow,
    'status' | 'currentNodeId' | 'visit' | 'resumeAt' | 'untilEvent' | 'isWoken' | 'results' | 'endedAt' | 'exitReason'
  > {
  readonly dueAt: Date | null;
}

export async function updateEnrollment(tx: Tx, id: string, state: EnrollmentState): Promise<void> {
  await tx.query(
    `update arbiter.journey_enrollments set status = $3, current_node_id = $4, visit = $5, resume_at = $6,
       until_event = $7, is_woken = $8, results = $9::jsonb, ended_at = $10, exit_reason = $11, due_at = $12
     where tenant_id = $1 and id = $2`,
    [
      tx.tenantId,
      id,
      state.status,
      state.currentNodeId,
      state.visit,
      state.resumeAt,
      state.untilEvent,
      state.isWoken,
      JSON.stringify(state.results),
      state.endedAt,
      state.exitReason,
      state.dueAt,
    ],
  );
}

/** When the tick looks at an enrollment again that no job owns. */
export async function setDue(tx: Tx, id: string, dueAt: Date): Promise<void> {
  await tx.query('update arbiter.journey_enrollments set due_at = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    dueAt,
  ]);
}

/**
 * Takes due enrollments away from the tick and returns their ids: those of active journeys, and those whose time is
 * over. The caller enqueues them in the same transaction. Leaves what another call is taking.
 */
export async function claimDue(tx: Tx, now: Date, isEnabled: boolean, most: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with due as (
       select e.id from arbiter.journey_enrollments e
         join arbiter.journeys j on j.tenant_id = e.tenant_id and j.id = e.journey_id
        where e.tenant_id = $1 and e.due_at <= $2
          and (e.expires_at <= $2 or ($3 and j.status = 'active' and j.deleted_at is null))
        order by e.due_at, e.id limit $4 for update of e skip locked)
     update arbiter.journey_enrollments e set due_at = null from due
      where e.tenant_id = $1 and e.id = due.id returning e.id`,
    [tx.tenantId, now, isEnabled, most],
  );
  return rows.map(({ id }) => id).sort();
}

/** Tenants with enrollments that may be due. Needs a system transaction. */
export async function tenantsWithDue(tx: Tx, now: Date): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }>(
    'select distinct tenant_id as "tenantId" from arbiter.journey_enrollments where due_at <= $1 order by 1',
    [now],
  );
  return rows.map(({ tenantId }) => tenantId);
}

const stepColumns = columns(
  table<'journey_steps', { nodeType: JourneyNodeType; result: JourneyStep['result']; detail: JourneyStep['detail'] }>(
    'journey_steps',
  ),
  ['nodeId', 'nodeType', 'result', 'detail', 'at'],
);

export type StepRow = RowOf<typeof stepColumns>;

/** Writes a step under its effect key. Throws when the key exists: the step would happen twice. */
export async function insertStep(
  tx: Tx,
  { id, journeyId, visit }: Pick<EnrollmentRow, 'id' | 'journeyId' | 'visit'>,
  step: Omit<StepRow, 'at'>,
): Promise<void> {
  await tx.query(
    `insert into arbiter.journey_steps (tenant_id, enrollment_id, visit, node_id, journey_id, node_type, result, detail, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9)`,
    [
      tx.tenantId,
      id,
      visit,
      step.nodeId,
      journeyId,
      step.nodeType,
      step.result,
      step.detail === null ? null : JSON.stringify(step.detail),
      tx.now,
    ],
  );
}

/** The latest steps of an enrollment, in order. */
export async function selectSteps(tx: Tx, enrollmentId: string, most: number): Promise<StepRow[]> {
  const rows = await select(
    tx,
    stepColumns,
    'from arbiter.journey_steps where tenant_id = $1 and enrollment_id = $2 order by visit desc limit $3',
    [tx.tenantId, enrollmentId, most],
  );
  return rows.reverse();
}

export interface EnrollmentFilter {
  readonly journeyId: string;
  readonly status: EnrollmentStatus | null;
  readonly customerId: string | null;
}

const filtered = `from arbiter.journey_enrollments where tenant_id = $1 and journey_id = $2
  and ($3::text is null or status = $3) and ($4::text is null or customer_id = $4)`;

/** Enrollments behind the one with this id, newest first. */
export async function selectEnrollments(
  tx: Tx,
  { journeyId, status, customerId }: EnrollmentFilter,
  before: string | null,
  most: number,
): Promise<EnrollmentRow[]> {
  return select(tx, enrollmentColumns, `${filtered} and ($5::uuid is null or id < $5) order by id desc limit $6`, [
    tx.tenantId,
    journeyId,
    status,
    customerId,
    before,
    most,
  ]);
}

export async function countEnrollments(tx: Tx, { journeyId, status, customerId }: EnrollmentFilter): Promise<number> {
  const [row] = await tx.query<{ count: number }>(`select count(*)::int as count ${filtered}`, [
    tx.tenantId,
    journeyId,
    status,
    customerId,
  ]);
  return row?.count ?? 0;
}

/** An enrollment of this journey; undefined for any other id. */
export async function selectEnrollment(tx: Tx, journeyId: string, id: string): Promise<EnrollmentRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(
    tx,
    enrollmentColumns,
    'from arbiter.journey_enrollments where tenant_id = $1 and journey_id = $2 and id = $3',
    [tx.tenantId, journeyId, id],
  );
  return row;
}
