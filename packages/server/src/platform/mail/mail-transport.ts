import type { RawMail } from './mail-message.ts';

/** One way of sending email. */
export interface MailTransport {
  /** Description for the log at start. */
  readonly about: string;
  /** Sends the email and returns fields for the log. Throws MailError when it was rejected. */
  send(mail: RawMail): Promise<Readonly<Record<string, string>>>;
}

/** An email wasn't sent. The message contains the error code, never an address or the other side's text. */
export class MailError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MailError';
  }
}
