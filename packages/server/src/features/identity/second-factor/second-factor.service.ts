import type { SecondFactorAnswer } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { presentedCredential, unauthorized } from '../../../http/binding/credentials.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import {
  actorOf,
  type FurtherStep,
  invalidCredentials,
  isLocked,
  missed,
  openSession,
  type RequestTerms,
} from '../accounts/index.ts';
import { readSettings } from '../settings/index.ts';
import { lockSigningIn, type SigningIn, selectSigningIn } from '../users/index.ts';
import { begunSetUp, enable, remove, setUp, takeCode } from './factors.service.ts';
import type { MfaTokens } from './mfa-tokens.ts';
import type { SecondFactorPorts } from './second-factor.ports.ts';
import { lockFactor, selectFactor } from './second-factor.store.ts';

/** Result of a step; `cookie` if it opened a session. */
export interface StepOutcome {
  readonly answer: SecondFactorAnswer;
  readonly cookie: string | null;
}

/** How the caller of a step proves who they are. */
export interface Proof {
  readonly mfaToken: string | undefined;
  /** The header. */
  readonly cookie: string | undefined;
}

interface KnownFactor {
  readonly tenantId: string;
  readonly userId: string;
  /** Binds the token to the password; null for a session. */
  readonly mark: string | null;
}

/** Returns who takes the step: the token's holder if there is one, otherwise the session's. Throws 401. */
async function identify(ports: SecondFactorPorts, { mfaToken, cookie }: Proof): Promise<KnownFactor> {
  if (mfaToken !== undefined) {
    const proven = await ports.mfaTokens.read(mfaToken, new Date(ports.clock.now()));
    if (proven === null) throw invalidCredentials();
    return proven;
  }
  const presented = presentedCredential({ headers: { cookie }, rawHeaders: [] });
  const principal = presented === null ? null : await ports.authenticate(presented);
  if (principal === null) throw unauthorized('A session, or the mfaToken of a sign-in, is required.');
  return { tenantId: principal.tenantId, userId: principal.actor.id, mark: null };
}

/**
 * Runs a step for the person, holding their row. Throws the error that `work` returns after the commit, so that counts
 * are stored.
 */
async function asPerson(
  ports: SecondFactorPorts,
  { tenantId, userId, mark }: KnownFactor,
  terms: RequestTerms,
  work: (tx: Tx, person: SigningIn) => Promise<StepOutcome | AppError>,
): Promise<StepOutcome> {
  const { database, mfaTokens } = ports;
  const known = await database.withTenant(
    tenantId,
    systemActor('second-factor'),
    (tx) => selectSigningIn(tx, userId),
    terms,
  );
  if (known === undefined) throw invalidCredentials();
  const outcome = await database.withTenant(
    tenantId,
    mark === null ? actorOf(known) : systemActor('sign-in'),
    async (tx) => {
      const person = await lockSigningIn(tx, userId);
      if (person === undefined || person.deactivatedAt !== null) return invalidCredentials();
      if (mark !== null && !mfaTokens.isOfPassword(mark, person.passwordHash)) return invalidCredentials();
      return work(tx, person);
    },
    terms,
  );
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

const wrongCode = () => invalid('/code', 'is not the current code of the app, or was already used');

/** `setup`: a secret for the app. */
export async function beginSecondFactor(
  ports: SecondFactorPorts,
  proof: Proof,
  terms: RequestTerms,
): Promise<StepOutcome> {
  return asPerson(ports, await identify(ports, proof), terms, async (tx, person) => ({
    answer: await setUp(tx, ports, person),
    cookie: null,
  }));
}

/** `enable`: the app has the secret. With the token of a sign-in it also opens the session: every factor is verified. */
export async function enableSecondFactor(
  ports: SecondFactorPorts,
  proof: Proof,
  code: string,
  terms: RequestTerms,
): Promise<StepOutcome> {
  const known = await identify(ports, proof);
  return asPerson(ports, known, terms, async (tx, person) => {
    const isSigningIn = known.mark !== null;
    if (isSigningIn && isLocked(tx, person)) return invalidCredentials();
    if (isSigningIn && (await ports.signIn.requiresSso(tx))) return ssoRequired();
    const backupCodes = await enable(tx, ports, person, code);
    if (backupCodes === null) return wrongCode();
    const entrance = isSigningIn ? await openSession(tx, ports.sessions, person, 'password') : null;
    return { answer: { enabled: true, backupCodes, ...entrance?.answer }, cookie: entrance?.cookie ?? null };
  });
}

const ssoRequired = () => new AppError('sso_required', { detail: 'This tenant uses single sign-on.' });

/** `verify`: the second half of a sign-in by password. A wrong code counts like a wrong password. */
export async function verifySecondFactor(
  ports: SecondFactorPorts,
  mfaToken: string,
  code: string,
  terms: RequestTerms,
): Promise<StepOutcome> {
  const known = await identify(ports, { mfaToken, cookie: undefined });
  return asPerson(ports, known, terms, async (tx, person) => {
    const factor = await lockFactor(tx, person.id);
    // While locked, accept nothing, not even a correct code: otherwise codes could be tried.
    if (factor === undefined || factor.enabledAt === null || isLocked(tx, person))
      return missed(tx, person, ports.enqueueMail);
    if (await ports.signIn.requiresSso(tx)) return ssoRequired();
    if (!(await takeCode(tx, ports, factor, code)))
      return missed(tx, person, ports.enqueueMail, { passwordKnown: true });
    return openSession(tx, ports.sessions, person, 'password');
  });
}

/** `disable`: by session, password and a code. Whatever is wrong counts like a wrong password. */
export async function disableSecondFactor(
  ports: SecondFactorPorts,
  cookie: string | undefined,
  given: { readonly password: string; readonly code: string },
  terms: RequestTerms,
): Promise<StepOutcome> {
  const known = await identify(ports, { mfaToken: undefined, cookie });
  const before = await ports.database.withTenant(
    known.tenantId,
    systemActor('second-factor'),
    (tx) => selectSigningIn(tx, known.userId),
    terms,
  );
  // No transaction is open here: this takes tens of milliseconds.
  const isRight = await ports.passwords.verify(before?.passwordHash ?? null, given.password);
  return asPerson(ports, known, terms, async (tx, person) => {
    if (!isRight || person.passwordHash !== before?.passwordHash || isLocked(tx, person)) {
      await missed(tx, person, ports.enqueueMail);
      return invalid('/password', 'is not your password');
    }
    const factor = await lockFactor(tx, person.id);
    if (factor === undefined || factor.enabledAt === null) {
      return new AppError('invalid_transition', { detail: 'The second factor is off.' });
    }
    if (!(await takeCode(tx, ports, factor, given.code))) {
      await missed(tx, person, ports.enqueueMail, { passwordKnown: true });
      return wrongCode();
    }
    await remove(tx, ports.enqueueMail, person, 'disabled');
    return { answer: { enabled: false }, cookie: null };
  });
}

/** Returns what a sign-in by password must prove in addition; null for nothing (docs/design/api-access.md 22). */
export async function furtherStep(
  tx: Tx,
  mfaTokens: MfaTokens,
  person: Pick<SigningIn, 'id' | 'passwordHash'>,
): Promise<FurtherStep | null> {
  const factor = await selectFactor(tx, person.id);
  const isOn = factor !== undefined && factor.enabledAt !== null;
  if (!isOn && !(await readSettings(tx)).mfaRequired) return null;
  const proven = { tenantId: tx.tenantId, userId: person.id, passwordHash: person.passwordHash };
  const { token, expiresAt } = await mfaTokens.issue(proven, tx.now);
  return {
    mfaRequired: true,
    mfaToken: token,
    expiresAt: expiresAt.toISOString(),
    ...(isOn ? {} : { setupRequired: true }),
  };
}

/**
 * Returns the unfinished set-up of this token, for a page that shows it again; null if it doesn't exist or the token is no
 * longer valid.
 */
export async function readSetUp(
  { clock, database, envelope, mfaTokens }: Pick<SecondFactorPorts, 'clock' | 'database' | 'envelope' | 'mfaTokens'>,
  mfaToken: string,
  terms: RequestTerms,
): Promise<{ readonly secret: string; readonly otpauthUrl: string } | null> {
  const proven = await mfaTokens.read(mfaToken, new Date(clock.now()));
  if (proven === null) return null;
  return database.withTenant(
    proven.tenantId,
    systemActor('second-factor'),
    async (tx) => {
      const person = await selectSigningIn(tx, proven.userId);
      if (person === undefined || person.deactivatedAt !== null) return null;
      return mfaTokens.isOfPassword(proven.mark, person.passwordHash) ? begunSetUp(tx, { envelope }, person) : null;
    },
    terms,
  );
}
