import type { Database } from '../../../db/index.ts';
import { enqueueJob } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { answerRequestJob } from './account-requests.job.ts';
import { deleteRequest, insertRequest, selectRequest } from './account-requests.store.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';
import { forgotPassword } from './passwords.service.ts';
import { type PreparedRegistration, register, resendVerification } from './registration.service.ts';

/** A request without a session about an email address that may or may not be known. */
export type AccountRequest =
  | { readonly kind: 'register'; readonly given: PreparedRegistration }
  | { readonly kind: 'resendVerification' | 'forgotPassword'; readonly email: string };

interface StoredAccountRequest {
  readonly request: AccountRequest;
  readonly requestId: string;
}

const placeOf = (place: string, id: string) => ({ tenantId: place, recordId: id, field: 'accountRequest' });

/**
 * Stores a request and the job that answers it: the same statements for every address, because none of them looks at it
 * (docs/design/quality.md T29). Throws 503 `not_configured` without DATA_ENCRYPTION_KEY.
 */
export async function storeRequest(
  { database, envelope }: { readonly database: Database; readonly envelope: Envelope | null },
  request: AccountRequest,
  terms: RequestTerms,
): Promise<void> {
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Email can't be sent: DATA_ENCRYPTION_KEY is not set." });
  }
  const [place, id] = [newId(), newId()];
  const stored: StoredAccountRequest = { request, requestId: terms.requestId };
  const sealed = envelope.seal(placeOf(place, id), JSON.stringify(stored));
  await database.withSystem(
    'account-request',
    async (tx) => {
      await insertRequest(tx, { place, id, sealed });
      await enqueueJob(tx, answerRequestJob, { place, requestId: id });
    },
    terms,
  );
}

/** What answering needs. */
export type AnswerPorts = Pick<AccountDependencies, 'database' | 'enqueueMail' | 'links' | 'signUp'> & {
  readonly envelope: Envelope | null;
};

const answeredWithinMs = 60_000;

/** Handles a request and deletes it. If the process ends in between, it's handled again: the newest link counts. */
export async function answerRequest(ports: AnswerPorts, place: string, id: string): Promise<void> {
  const { database, envelope } = ports;
  const row = await database.withSystem('account-request', (tx) => selectRequest(tx, place, id));
  if (row === undefined) return;
  if (envelope === null) throw new Error("the request can't be decrypted: DATA_ENCRYPTION_KEY is not set");
  const { request, requestId }: StoredAccountRequest = JSON.parse(
    envelope.open(placeOf(place, id), row.sealed).toString('utf8'),
  );
  const terms = { requestId, until: performance.now() + answeredWithinMs };
  if (request.kind === 'register') await register(ports, request.given, terms);
  else if (request.kind === 'resendVerification') await resendVerification(ports, request.email, terms);
  else await forgotPassword(ports, request.email, terms);
  await database.withSystem('account-request', (tx) => deleteRequest(tx, place, id));
}
