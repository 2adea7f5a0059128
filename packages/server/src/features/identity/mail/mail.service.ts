import { isMailAddress, type MailSender } from '../../../config/mail-settings.ts';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import type { Envelope, SealPlace } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import { writeMail } from '../../../platform/mail/mail-message.ts';
import type { MailTransport } from '../../../platform/mail/mail-transport.ts';
import { deleteMail, insertMail, type MailRow, selectMail } from './mail.store.ts';
import { mailText } from './mail.templates.ts';
import { type Mail, usefulHours } from './mails.ts';

export interface EnqueueMail {
  /**
   * Queues an email for the transaction's tenant, sent after the commit. Throws 400 unless the address is a single one,
   * and 503 `not_configured` without encryption.
   */
  (tx: Tx, mail: Mail): Promise<void>;
  /**
   * Throws 503 `not_configured` without encryption. Call it first if the response must be the same for all addresses.
   */
  assertConfigured(): void;
  /** False without encryption: for notices that are sent only where possible. */
  readonly isConfigured: boolean;
}

const hourMs = 3_600_000;

const placeOf = (tenantId: string, id: string): SealPlace => ({ tenantId, recordId: id, field: 'mail' });

/**
 * Queues emails of this process.
 *
 * @param envelope encrypts them; null without DATA_ENCRYPTION_KEY
 * @param enqueueSending queues the job that sends the email with this id
 */
export function createMailQueue(
  envelope: Envelope | null,
  enqueueSending: (tx: Tx, mailId: string) => Promise<void>,
): EnqueueMail {
  const configured = (): Envelope => {
    if (envelope !== null) return envelope;
    throw new AppError('not_configured', { detail: "Email can't be sent: DATA_ENCRYPTION_KEY is not set." });
  };
  const enqueue = async (tx: Tx, mail: Mail): Promise<void> => {
    const sealing = configured();
    if (!isMailAddress(mail.to)) throw invalid('/email', 'is not an address we can send email to');
    const id = newId();
    await insertMail(tx, {
      id,
      kind: mail.kind,
      sealed: sealing.seal(placeOf(tx.tenantId, id), JSON.stringify(mail)),
      createdAt: tx.now,
      expiresAt: new Date(tx.now.getTime() + usefulHours[mail.kind] * hourMs),
    });
    await enqueueSending(tx, id);
  };
  return Object.assign(enqueue, { assertConfigured: () => void configured(), isConfigured: envelope !== null });
}

/** What sending needs. */
export interface MailPorts {
  readonly envelope: Envelope | null;
  readonly transport: MailTransport;
  readonly sender: MailSender;
  /** Public address of the server, with its path: what links begin with. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** Decrypts a queued email. Throws if it was changed, or encrypted with an unknown key. */
export function openMail(envelope: Envelope, tenantId: string, { id, sealed }: Pick<MailRow, 'id' | 'sealed'>): Mail {
  const mail: Mail = JSON.parse(envelope.open(placeOf(tenantId, id), sealed).toString('utf8'));
  return mail;
}

/**
 * Sends a queued email and deletes it. Does nothing if it was sent or has expired. May send twice if the process ends
 * in between, with the same `Message-ID`. Throws if it couldn't be sent.
 */
export async function sendMail(
  database: Database,
  { envelope, transport, sender, publicUrl, logger }: MailPorts,
  tenantId: string,
  id: string,
): Promise<void> {
  const actor = systemActor('mail');
  const row = await database.withTenant(tenantId, actor, (tx) => selectMail(tx, id));
  if (row === undefined) {
    logger.info({ tenantId, mailId: id }, 'email not sent: already sent, or its link has expired');
    return;
  }
  if (envelope === null) throw new Error("email can't be decrypted: DATA_ENCRYPTION_KEY is not set");
  const mail = openMail(envelope, tenantId, row);
  const { kind, createdAt } = row;
  const message = { id, kind, createdAt, to: mail.to, ...mailText(mail, publicUrl) };
  const facts = await transport.send(await writeMail(message, sender));
  await database.withTenant(tenantId, actor, (tx) => deleteMail(tx, id));
  logger.info({ tenantId, mailId: id, kind, ...facts }, 'email sent');
}
