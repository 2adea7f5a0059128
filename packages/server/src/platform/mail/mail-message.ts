import { isMailAddress, type MailSender } from '../../config/mail-settings.ts';

/** A mail as every way of sending takes it. */
export interface MailMessage {
  /** Names the mail in its `Message-ID`, so that a second delivery of the same mail is known as such. */
  readonly id: string;
  /** One word for logs and file names. */
  readonly kind: string;
  readonly createdAt: Date;
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where answers go; default: to the sender. */
  readonly replyTo?: string;
  readonly attachments?: readonly { readonly fileName: string; readonly mimeType: string; readonly content: Buffer }[];
}

/** A mail as it goes over the wire: with its headers, in RFC 5322 form. */
export interface RawMail {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: Date;
  /** Address of the sender alone, without a name. */
  readonly from: string;
  readonly to: string;
  readonly raw: Buffer;
}

/** Writes the mail out. Throws for a subject or an address that could reach into the header. */
export async function writeMail(message: MailMessage, from: MailSender): Promise<RawMail> {
  const { id, kind, createdAt, to, subject, text, html, replyTo, attachments = [] } = message;
  if (!isMailAddress(to)) throw new Error('an email has one recipient');
  if (replyTo !== undefined && !isMailAddress(replyTo)) throw new Error('an email has one reply-to address');
  if (/\p{Cc}/u.test(subject)) throw new Error('the subject of an email is one line');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  // Loaded with the first mail: no start waits for it.
  const { createTransport } = await import('nodemailer');
  const builder = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { message: raw } = await builder.sendMail({
    from,
    to: { name: '', address: to },
    ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    attachments: attachments.map(({ fileName, mimeType, content }) => ({
      filename: fileName,
      contentType: mimeType,
      content,
    })),
    date: createdAt,
    messageId: `<${id}@${domain}>`,
    // So that nobody's automatic answer comes back (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  if (!Buffer.isBuffer(raw)) throw new Error('an email is composed in memory');
  return { id, kind, createdAt, from: from.address, to, raw };
}
