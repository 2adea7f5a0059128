import type { Tx } from '../../../db/tx.ts';
import { markEnded, markMethodEnded, markSessionEnded, type SignInMethod } from './sessions.store.ts';

/**
 * Ends a user's sessions in the tenant, on every node within a second (docs/design/api-access.md 4.2). `but`: a session
 * to keep. Returns how many ended.
 */
export function endSessions(
  tx: Tx,
  userId: string,
  { but = null }: { readonly but?: string | null } = {},
): Promise<number> {
  return markEnded(tx, userId, but === null ? [] : [but]);
}

/**
 * Ends all of the tenant's sessions opened in these ways (when single sign-on becomes the only way, password sessions
 * end, docs/design/api-access.md 22). `but`: a session to keep. Returns how many ended.
 */
export function endSessionsOpenedBy(
  tx: Tx,
  methods: readonly SignInMethod[],
  { but = null }: { readonly but?: string | null } = {},
): Promise<number> {
  return markMethodEnded(tx, methods, but === null ? [] : [but]);
}

/** Ends one session; false when it has ended before. */
export const endSession = (tx: Tx, sessionId: string): Promise<boolean> => markSessionEnded(tx, sessionId);
