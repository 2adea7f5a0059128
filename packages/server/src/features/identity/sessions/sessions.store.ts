import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const sessions = table('user_sessions');
const sessionColumns = columns(sessions, ['id', 'userId', 'method', 'startedAt', 'endsAt']);

export type SessionRow = RowOf<typeof sessionColumns>;
/** How the person signed in. */
export type SignInMethod = SessionRow['method'];

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.query(
    `insert into arbiter.user_sessions (tenant_id, id, user_id, method, started_at, ends_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [tx.tenantId, row.id, row.userId, row.method, row.startedAt, row.endsAt],
  );
}

/** Returns a session that hasn't ended, or undefined. `id` is a UUID. */
export async function selectSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  const [row] = await select(
    tx,
    sessionColumns,
    'from arbiter.user_sessions where tenant_id = $1 and id = $2 and ended_at is null and ends_at > $3',
    [tx.tenantId, id, tx.now],
  );
  return row;
}

/** Ends a person's sessions, all but those named; answers with how many. */
export async function markEnded(tx: Tx, userId: string, but: readonly string[]): Promise<number> {
  const ended = await tx.query(
    `update arbiter.user_sessions set ended_at = $3
      where tenant_id = $1 and user_id = $2 and ended_at is null and id <> all ($4::uuid[]) returning id`,
    [tx.tenantId, userId, tx.now, but],
  );
  if (ended.length > 0) tx.touchCredentials();
  return ended.length;
}

/** Ends the sessions that this way of signing in has opened in the tenant, all but those named; answers with how many. */
export async function markMethodEnded(
  tx: Tx,
  methods: readonly SignInMethod[],
  but: readonly string[],
): Promise<number> {
  const ended = await tx.query(
    `update arbiter.user_sessions set ended_at = $3
      where tenant_id = $1 and method = any ($2::text[]) and ended_at is null and id <> all ($4::uuid[]) returning id`,
    [tx.tenantId, methods, tx.now, but],
  );
  if (ended.length > 0) tx.touchCredentials();
  return ended.length;
}

/** Ends one session. Returns false when there is none, or it has already ended. */
export async function markSessionEnded(tx: Tx, id: string): Promise<boolean> {
  const ended = await tx.query(
    `update arbiter.user_sessions set ended_at = $3
      where tenant_id = $1 and id = $2 and ended_at is null and ends_at > $3 returning id`,
    [tx.tenantId, id, tx.now],
  );
  if (ended.length > 0) tx.touchCredentials();
  return ended.length > 0;
}

/** Deletes sessions that ended before the instant, of all tenants. Needs a system transaction. */
export async function deleteOldSessions(tx: Tx, before: Date): Promise<number> {
  const deletedRows = await tx.query('delete from arbiter.user_sessions where ends_at < $1 returning id', [before]);
  return deletedRows.length;
}

/** The columns of the session that `joinLiveSession` joins. */
export const liveSession = columns(sessions, ['endsAt', 'method'], 'live_session');

/** SQL: joins the session with this id of this user, when it has not ended. The arguments are columns or parameters. */
export const joinLiveSession = (tenantId: string, userId: string, sessionId: string): string =>
  `join arbiter.user_sessions live_session on live_session.tenant_id = ${tenantId} and live_session.id = ${sessionId}
    and live_session.user_id = ${userId} and live_session.ended_at is null`;
