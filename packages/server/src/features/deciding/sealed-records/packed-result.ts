import { hash } from 'node:crypto';
import type { RecordedResult, ShownAssignment } from '@arbiter/contract';
import { hashedText, type ItemTexts } from '@arbiter/engine';
import type { Frozen } from '../../../platform/json.ts';

/** Returns the SHA-256 of everything that was decided, including rendered content. Replays are compared with it. */
export const resultHash = (text: string, items: readonly ItemTexts[]): Buffer =>
  hash('sha256', hashedText(text, items), 'buffer');

/**
 * Returns random assignments besides the ranking as answers show them: for the tenant's holdout, the customer's side
 * and the share of customers on it (docs/design/api-settled.md 73).
 */
export function shownAssignment(
  { holdout: share, ...assignment }: Frozen<RecordedResult['assignment']>,
  inHoldout: boolean,
): Frozen<ShownAssignment> {
  return { ...assignment, holdout: share === null ? null : { inHoldout, share } };
}
