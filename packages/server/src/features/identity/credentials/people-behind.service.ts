import type { Tx } from '../../../db/tx.ts';
import { personOf } from './api-keys.rules.ts';
import { selectApiKey } from './api-keys.store.ts';
import { selectClient } from './oauth-clients.store.ts';
import { haveSharedCredential } from './owned-credentials.store.ts';

/**
 * Returns the person the caller acts for: a user id, or `system`. All keys and clients of a person, and those created
 * with them, count as that person (docs/design/quality.md E3).
 */
export async function personBehind(tx: Tx): Promise<string> {
  return (await ownersBehind(tx))[0];
}

/** Returns the owner of the caller's credential, then earlier owners. */
async function ownersBehind(tx: Tx): Promise<readonly [string, ...string[]]> {
  const actor = personOf(tx.actor.id);
  if ('person' in actor) return [actor.person];
  const credential =
    'oauthClientId' in actor ? await selectClient(tx, actor.oauthClientId) : await selectApiKey(tx, actor.apiKeyId);
  return credential === undefined ? [tx.actor.id] : [credential.person, ...credential.earlierPeople];
}

/**
 * Returns true when the four-eyes rule counts the caller and `person` as one: the same person, or people who have owned
 * one credential that wasn't revoked when `person` acted. Both know its secret.
 */
export async function isSamePerson(tx: Tx, person: string, actedAt: Date): Promise<boolean> {
  const owners = await ownersBehind(tx);
  return owners.includes(person) || (await haveSharedCredential(tx, owners[0], person, actedAt));
}
