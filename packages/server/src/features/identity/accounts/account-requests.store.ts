import type { Tx } from '../../../db/tx.ts';

/** A request that waits for its job. `place` is the id under which it is sealed. */
export interface WaitingRequest {
  readonly place: string;
  readonly id: string;
  readonly sealed: Buffer;
}

/** Needs a system transaction, as all of these do. */
export async function insertRequest(tx: Tx, { place, id, sealed }: WaitingRequest): Promise<void> {
  await tx.query('insert into arbiter.account_requests (tenant_id, id, sealed, created_at) values ($1, $2, $3, $4)', [
    place,
    id,
    sealed,
    tx.now,
  ]);
}

/** Undefined when its job has done it. */
export async function selectRequest(tx: Tx, place: string, id: string): Promise<WaitingRequest | undefined> {
  const [row] = await tx.query<WaitingRequest>(
    'select tenant_id as place, id, sealed from arbiter.account_requests where tenant_id = $1 and id = $2',
    [place, id],
  );
  return row;
}

export async function deleteRequest(tx: Tx, place: string, id: string): Promise<void> {
  await tx.query('delete from arbiter.account_requests where tenant_id = $1 and id = $2', [place, id]);
}

/** Deletes abandoned requests. */
export async function deleteOldRequests(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from arbiter.account_requests where created_at < $1', [before]);
}
