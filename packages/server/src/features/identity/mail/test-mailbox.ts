import type { TestServer } from '../../../main/test-server.ts';
import { createEnvelope } from '../../../platform/crypto/crypto.ts';
import { createLogger } from '../../../platform/logger.ts';
import { MailError } from '../../../platform/mail/mail-transport.ts';
import { type MailPorts, openMail } from './mail.service.ts';
import type { Mail } from './mails.ts';

/** The key of test servers that do not bring their own. */
const testKey = Buffer.alloc(32, 7).toString('base64');

/**
 * Takes the mails that wait in all tenants, or in one, oldest first: a test finds the tokens of links here. Nothing is sent, and the
 * next call tells of newer mails only.
 */
export async function takeMails(
  { testDatabase, answerAccountRequests }: Pick<TestServer, 'testDatabase' | 'answerAccountRequests'>,
  tenantId: string | null = null,
): Promise<Mail[]> {
  await answerAccountRequests();
  const rows = await testDatabase.ownerQuery<{ id: string; tenant_id: string; sealed: Buffer }>(
    'delete from arbiter.mails where $1::uuid is null or tenant_id = $1 returning id, tenant_id, sealed',
    [tenantId],
  );
  const envelope = createEnvelope(testKey);
  return rows
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, tenant_id, sealed }) => openMail(envelope, tenant_id, { id, sealed }));
}

/** For tests whose jobs send no email. */
export const mailForNobody: MailPorts = {
  envelope: createEnvelope(testKey),
  transport: { about: 'no mail is sent', send: () => Promise.reject(new MailError('no mail is sent by this test')) },
  sender: { name: '', address: 'arbiter@localhost' },
  publicUrl: 'http://localhost:3000',
  logger: createLogger('silent'),
};
