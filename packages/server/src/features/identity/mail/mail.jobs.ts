import Type from 'typebox';
import type { Database, Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { type MailPorts, sendMail } from './mail.service.ts';
import { expireMails } from './mail.store.ts';

/** Sends one email. */
const sendMailJob = job({
  name: 'mail.send',
  payload: Type.Object({ mailId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes mails that could not be sent as long as anyone had use for them. */
const expireMailsJob = job({
  name: 'mails.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '20 * * * *', payload: {}, upkeep: true },
});

export const enqueueSending = (tx: Tx, mailId: string): Promise<void> => enqueueJob(tx, sendMailJob, { mailId });

export interface MailJobPorts {
  readonly database: Database;
  readonly mail: MailPorts;
}

/** Returns the handlers of this feature's jobs. */
export const mailJobs = ({ database, mail }: MailJobPorts): JobHandler[] => [
  handleJob(sendMailJob, ({ mailId }, { tenantId }) => sendMail(database, mail, tenantId, mailId)),
  handleInSlices(expireMailsJob, database, expireMails),
];
