import { randomBytes } from 'node:crypto';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope, SealPlace } from '../../../platform/crypto/crypto.ts';
import { actorOf } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import type { EnqueueMail } from '../mail/index.ts';
import { getTenant } from '../tenants/index.ts';
import { mailAddressOf, type SigningIn, updateSecondFactor } from '../users/index.ts';
import { backupCode, backupCodeBytes, backupCodeCount, backupCodeHash, isBackupCode } from './backup-codes.rules.ts';
import {
  beginFactor,
  deleteFactor,
  enableFactor,
  type Factor,
  lockFactor,
  selectFactor,
  takeBackupCode,
  updateLastStep,
} from './second-factor.store.ts';
import { base32, isAppCode, otpauthUrl, secretBytes, stepOf, typedCode } from './totp.rules.ts';

/** Changes one person's factor, in a transaction that holds the person's row. */

interface Sealing {
  readonly envelope: Envelope | null;
}

/** The owner of a factor. */
export type FactorOwner = Pick<SigningIn, 'id' | 'name' | 'email' | 'mailAddress' | 'role'>;

const placeOf = (tx: Tx, userId: string): SealPlace => ({ tenantId: tx.tenantId, recordId: userId, field: 'totp' });

/** Throws 503 while nothing can seal secrets. */
function mustSeal(envelope: Envelope | null): Envelope {
  if (envelope !== null) return envelope;
  throw new AppError('not_configured', { detail: "Second factors can't be stored: DATA_ENCRYPTION_KEY is not set." });
}

/** Creates the secret of a second factor, which has no effect until it's enabled. Throws 409 if one is already on. */
export async function setUp(
  tx: Tx,
  { envelope }: Sealing,
  { id, email }: FactorOwner,
): Promise<{ secret: string; otpauthUrl: string }> {
  const secret = randomBytes(secretBytes);
  if (!(await beginFactor(tx, id, mustSeal(envelope).seal(placeOf(tx, id), secret)))) {
    throw new AppError('invalid_transition', { detail: 'The second factor is already on. Disable it first.' });
  }
  return shownSecret(tx, secret, email);
}

async function shownSecret(tx: Tx, secret: Uint8Array, email: string): Promise<{ secret: string; otpauthUrl: string }> {
  const { name } = await getTenant(tx);
  return { secret: base32(secret), otpauthUrl: otpauthUrl(secret, { tenant: name, email }) };
}

/** The secret of a factor that is begun and not on; null without one. */
export async function begunSetUp(
  tx: Tx,
  { envelope }: Sealing,
  { id, email }: FactorOwner,
): Promise<{ secret: string; otpauthUrl: string } | null> {
  const factor = await selectFactor(tx, id);
  if (factor === undefined || factor.enabledAt !== null) return null;
  return shownSecret(tx, mustSeal(envelope).open(placeOf(tx, id), factor.sealed), email);
}

/**
 * Switches a factor on that the app has proven to know, and answers with its backup codes; null: the code is wrong. Throws
 * 409 when none was set up, or one is on.
 */
export async function enable(
  tx: Tx,
  { envelope, enqueueMail }: Sealing & { readonly enqueueMail: EnqueueMail },
  owner: FactorOwner,
  code: string,
): Promise<string[] | null> {
  const factor = await lockFactor(tx, owner.id);
  if (factor === undefined || factor.enabledAt !== null) {
    const detail =
      factor === undefined ? 'There is no second factor yet. Start with setup.' : 'The second factor is already on.';
    throw new AppError('invalid_transition', { detail });
  }
  const secret = mustSeal(envelope).open(placeOf(tx, owner.id), factor.sealed);
  const step = stepOf(secret, typedCode(code), tx.now, factor.lastStep);
  if (step === null) return null;
  const codes = new Set<string>();
  while (codes.size < backupCodeCount) codes.add(backupCode(randomBytes(backupCodeBytes)));
  const shown = [...codes];
  await updateLastStep(tx, owner.id, step);
  await enableFactor(
    tx,
    owner.id,
    shown.map((each) => backupCodeHash(secret, typedCode(each))),
  );
  await updateSecondFactor(tx, owner.id, true);
  await tellChange(tx, enqueueMail, owner, 'enabled');
  return shown;
}

/** True when the code is one of the app or a backup code, and was not used before; it is used up by this. */
export async function takeCode(tx: Tx, { envelope }: Sealing, factor: Factor, code: string): Promise<boolean> {
  const { userId, sealed, lastStep } = factor;
  const typed = typedCode(code);
  if (!isAppCode(typed) && !isBackupCode(typed)) return false;
  const secret = mustSeal(envelope).open(placeOf(tx, userId), sealed);
  if (isBackupCode(typed)) return takeBackupCode(tx, userId, backupCodeHash(secret, typed));
  const step = stepOf(secret, typed, tx.now, lastStep);
  if (step === null) return false;
  await updateLastStep(tx, userId, step);
  return true;
}

/** Takes a factor away that was on. */
export async function remove(
  tx: Tx,
  enqueueMail: EnqueueMail,
  owner: FactorOwner,
  change: 'disabled' | 'reset',
): Promise<void> {
  await deleteFactor(tx, owner.id);
  await updateSecondFactor(tx, owner.id, false);
  await tellChange(tx, enqueueMail, owner, change);
}

/** Adds the audit row and notifies the owner, who may not have made the change. */
async function tellChange(
  tx: Tx,
  enqueueMail: EnqueueMail,
  owner: FactorOwner,
  change: 'enabled' | 'disabled' | 'reset',
): Promise<void> {
  const { id, name } = owner;
  const isOwn = change !== 'reset';
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: id,
    entityName: name,
    before: { secondFactor: change !== 'enabled' },
    after: { secondFactor: change === 'enabled' },
    // The person, even if the transaction belongs to a continuing sign-in.
    ...(isOwn ? { actor: actorOf(owner) } : {}),
  });
  const tenant = await getTenant(tx);
  try {
    await enqueueMail(tx, { kind: 'second_factor', to: mailAddressOf(owner), tenantName: tenant.name, change });
  } catch (error) {
    // The change is kept even if no email can be sent: without an encryption key, or for a user whose name isn't an
    // address.
    if (!(error instanceof AppError)) throw error;
  }
}
