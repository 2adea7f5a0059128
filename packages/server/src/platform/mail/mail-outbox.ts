import { join } from 'node:path';
import { createPrivateFolder } from '../private-folder.ts';
import type { RawMail } from './mail-message.ts';
import { MailError, type MailTransport } from './mail-transport.ts';

/**
 * Creates a transport that writes each email to a file that mail programs can open, for
 * installations without SMTP. Only this user can read the folder and files, because they contain sign-in links. A repeated email replaces
 * its file. Throws MailError when it can't be written (disk full), leaving no partial file.
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

/** Sorted by creation: `2026-11-20T09-00-00-verification-<id>.eml`. */
function fileName({ id, kind, createdAt }: RawMail): string {
  const at = createdAt.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replaceAll(':', '-');
  return `${at}-${kind}-${id}.eml`;
}
