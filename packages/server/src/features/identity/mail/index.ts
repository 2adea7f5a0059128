import { feature } from '../../../feature.ts';
import { enqueueSending, type MailJobPorts, mailJobs } from './mail.jobs.ts';
import { createMailQueue, type EnqueueMail } from './mail.service.ts';

export type { EnqueueMail, MailPorts } from './mail.service.ts';
export { mailHtml } from './mail-layout.ts';
export type { Mail } from './mails.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['mails'];

/** Queues emails of this process; `envelope` is null without DATA_ENCRYPTION_KEY. */
export const mailQueue = (envelope: Parameters<typeof createMailQueue>[0]): EnqueueMail =>
  createMailQueue(envelope, enqueueSending);

export const mailFeature = feature({
  name: 'mail',
  tables,
  resets: { keeps: { mails: 'they are about the account, which is kept' }, keepsJobs: ['mail.send'] },
  jobs: (ports: MailJobPorts) => mailJobs(ports),
});
