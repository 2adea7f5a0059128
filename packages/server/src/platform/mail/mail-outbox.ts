import { join } from 'node:path';
import { createPrivateFolder } from '../private-folder.ts';
import type { RawMail } from './mail-message.ts';
import { MailError, type MailTransport } from './mail-transport.ts';

/**
 * Puts each mail into a file of its own, which mail programs open: the way of sending where no mail server is configured.
 * Only this user can read folder and files, since they hold links that sign people in. A mail that is sent again takes the place
 * of its file. Throws MailError when it cannot be written (the disk is full): then there is no part of it.
 */
export function createMailOutbox(folder: string): MailTransport {
  const files = createPrivateFolder(folder);
  return {
    about: `email is written to files in ${folder}, because neither SES nor SMTP_URL is configured`,
    async send(mail) {
      const name = fileName(mail);
      try {
        await files.write(name, mail.raw);
      } catch (error) {
        const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
        throw new MailError(`email could not be written to its file: ${typeof code === 'string' ? code : 'failed'}`);
      }
      return { file: join(folder, name) };
    },
  };
}

/** In the order of their making: `2026-11-20T09-00-00-verification-<id>.eml`. */
function fileName({ id, kind, createdAt }: RawMail): string {
  const at = createdAt.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replaceAll(':', '-');
  return `${at}-${kind}-${id}.eml`;
}
