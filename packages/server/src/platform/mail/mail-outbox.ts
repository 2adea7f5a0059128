import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawMail } from './mail-message.ts';
import type { MailTransport } from './mail-transport.ts';

/**
 * Puts each mail into a file of its own, which mail programs open: the way of sending where no mail server is configured.
 * Only this user can read folder and files, since they hold links that sign people in. A mail that is sent again takes the place of its file.
 */
export function createMailOutbox(folder: string): MailTransport {
  return {
    about: `mail is written into files in ${folder}, because neither SES nor SMTP_URL is configured`,
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, fileName(mail));
      const draft = `${file}.new`;
      const handle = await open(draft, 'w', 0o600);
      try {
        // A draft that a crash has left behind keeps its mode otherwise.
        await handle.chmod(0o600);
        await handle.writeFile(mail.raw);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
      return { file };
    },
  };
}

/** In the order of their making: `2026-11-20T09-00-00-verification-<id>.eml`. */
function fileName({ id, kind, createdAt }: RawMail): string {
  const at = createdAt.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replaceAll(':', '-');
  return `${at}-${kind}-${id}.eml`;
}
