import { columns, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { type HotStatement, type Tx, uuidArray } from '../../../db/index.ts';
import { joinCustomer, joinedCustomer } from '../customer-states/index.ts';
import { hasRecord, recordExists } from '../sealed-records/index.ts';

export function insertRequest(
  tenantId: string,
  row: {
    readonly requestId: string;
    readonly decisionId: string;
    readonly customerRef: string;
    readonly payloadHash: Buffer;
    readonly answer: Buffer;
    readonly at: Date;
  },
): HotStatement {
  return {
    name: 'decisions.request',
    text: `insert into decision_requests (tenant_id, request_id, decision_id, customer_ref, payload_hash, answer, created_at)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [tenantId, row.requestId, row.decisionId, row.customerRef, row.payloadHash, row.answer, row.at],
  };
}

/** A decision with a request id of the server's own making. Has no answer: a caller that sends the same id is refused. */
export interface NamedDecision {
  readonly requestId: string;
  readonly decisionId: string;
  readonly customerRef: string;
}

/** Names decisions by request ids that exist once: a repeat of the work that asked fails, and changes nothing. */
export function insertNamed(tenantId: string, rows: readonly NamedDecision[], at: Date): HotStatement {
  return {
    name: 'decisions.named',
    text: `insert into decision_requests (tenant_id, request_id, decision_id, customer_ref, payload_hash, answer, created_at)
      select $1, u.request_id, u.decision_id, u.customer_ref, '', '', $5
      from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as u(request_id, decision_id, customer_ref)`,
    values: [
      tenantId,
      uuidArray(rows.map(({ requestId }) => requestId)),
      uuidArray(rows.map(({ decisionId }) => decisionId)),
      uuidArray(rows.map(({ customerRef }) => customerRef)),
      at,
    ],
  };
}

const requestColumns = selectList(columns(table('decision_requests'), ['payloadHash', 'answer'], 'r'), joinedCustomer);
export type StoredRequest = RowOf<typeof requestColumns>;

/** Returns the answer stored for a client-chosen requestId; `record` when the server chose it for its own decision. */
export async function findRequest(tx: Tx, requestId: string): Promise<StoredRequest | 'record' | null> {
  const [row] = await select(
    tx,
    requestColumns,
    `from decision_requests r ${joinCustomer('r')} where r.tenant_id = $1 and r.request_id = $2`,
    [tx.tenantId, requestId],
  );
  if (row) return row;
  return (await hasRecord(tx, requestId)) ? 'record' : null;
}

/** Returns those of the request ids that no decision has. */
export async function selectUnusedIds(tx: Tx, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `select u.id from unnest($2::uuid[]) as u(id)
     where not exists (select from decision_requests r where r.tenant_id = $1 and r.request_id = u.id)
       and not ${recordExists('$1', 'u.id')}`,
    [tx.tenantId, uuidArray(requestIds)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Leaves nothing of the answers that were given about a customer but their ids: a repeat is refused. */
export async function blankRequests(tx: Tx, customerRef: string): Promise<void> {
  await tx.query(
    `update decision_requests set payload_hash = '', answer = '' where tenant_id = $1 and customer_ref = $2`,
    [tx.tenantId, customerRef],
  );
}

/** Returns the id of the decision with this client-chosen requestId, or this trace id, or null. */
export async function decisionNamed(tx: Tx, id: string): Promise<string | null> {
  const [named] = await tx.query<{ decisionId: string }>(
    `select decision_id as "decisionId" from decision_requests where tenant_id = $1 and request_id = $2
     union all select decision_id from decision_traces where tenant_id = $1 and id = $2 limit 1`,
    [tx.tenantId, id],
  );
  return named?.decisionId ?? null;
}
