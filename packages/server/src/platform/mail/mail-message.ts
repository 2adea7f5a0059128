import { isMailAddress, type MailSender } from '../../config/mail-settings.ts';

/** An email, as every transport takes it. */
export interface MailMessage {
  /** Used in `Message-ID`, so that a second delivery of the same email is recognizable. */
  readonly id: string;
  /** One word for logs and file names. */
  readonly kind: string;
  readonly createdAt: Date;
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Reply address. Default: the sender. */
  readonly replyTo?: string;
  readonly attachments?: readonly { readonly fileName: string; readonly mimeType: string; readonly content: Buffer }[];
}

/** An email in wire format: with headers, per RFC 5322. */
export interface RawMail {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: Date;
  /** Address of the sender alone, without a name. */
  readonly from: string;
  readonly to: string;
  readonly raw: Buffer;
}

/** Renders the email. Throws for a subject or an address that could inject headers. */
export async function writeMail(message: MailMessage, from: MailSender): Promise<RawMail> {
  const { id, kind, createdAt, to, subject, text, html, replyTo, attachments = [] } = message;
  if (!isMailAddress(to)) throw new Error('an email has one recipient');
  if (replyTo !== undefined && !isMailAddress(replyTo)) throw new Error('an email has one reply-to address');
  if (/\p{Cc}/u.test(subject)) throw new Error('the subject of an email is one line');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  // Loaded with the first email, so that startup doesn't wait for it.
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
    // Prevents automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  if (!Buffer.isBuffer(raw)) throw new Error('an email is composed in memory');
  return { id, kind, createdAt, from: from.address, to, raw };
}
