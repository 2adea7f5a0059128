import type { RawMail } from './mail-message.ts';

/** One way of sending mail. */
export interface MailTransport {
  /** What is said about it at the start. */
  readonly about: string;
  /**
   * Sends the mail; answers with what the log says of it. Throws MailError when it was not taken.
   */
  send(mail: RawMail): Promise<Readonly<Record<string, string>>>;
}

/** A mail that was not sent. The message names the code of the refusal, never an address or what the other side wrote. */
export class MailError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MailError';
  }
}
