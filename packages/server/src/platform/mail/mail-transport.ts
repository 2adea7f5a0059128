import type { RawMail } from './mail-message.ts';

/** One way of sending email. */
export interface MailTransport {
  /** Description for the log at start. */
  readonly about: string;
  /**
   * Sends the email and returns fields for the log; `messageId` is its id at the provider, if the provider gives one.
   * Throws MailError if it wasn't accepted.
   */
  send(mail: RawMail): Promise<Readonly<Record<string, string>>>;
}

/**
 * What happened to an email that failed. unsent: it may be tried again. rejected: it will be rejected again. unknown: the
 * connection broke after it was handed over.
 */
export type MailFate = 'unsent' | 'rejected' | 'unknown';

/** An email wasn't sent. The message contains the error code, never an address or the other side's text. */
export class MailError extends Error {
  readonly fate: MailFate;

  constructor(message: string, fate: MailFate = 'unsent') {
    super(message);
    this.name = 'MailError';
    this.fate = fate;
  }
}
