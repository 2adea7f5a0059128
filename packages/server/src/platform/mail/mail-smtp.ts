import { isIP } from 'node:net';
import type { SmtpServer } from '../../config/mail-settings.ts';
import { MailError, type MailFate, type MailTransport } from './mail-transport.ts';

const connectMs = 10_000;
const silenceMs = 20_000;

/**
 * Sends with the operator's mail server, one connection per email: emails are rare, and a kept connection has often
 * been closed by the other side.
 * @param authority certificate (PEM) to trust besides the system's
 */
export function createSmtpTransport(server: SmtpServer, authority: string | null = null): MailTransport {
  const { host, port, implicitTls, tls, user, password } = server;
  const settings = {
    host,
    port,
    secure: implicitTls,
    requireTLS: tls !== 'if-offered',
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    tls: {
      rejectUnauthorized: tls !== 'unverified',
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(authority === null ? {} : { ca: authority }),
    },
    ...(user === '' ? {} : { auth: { user, pass: password } }),
  };
  return {
    about: `email is sent through ${host}:${port}`,
    async send({ from, to, raw }) {
      try {
        // Loaded with the first email, so that startup doesn't wait for it.
        const { createTransport } = await import('nodemailer');
        await createTransport(settings).sendMail({ envelope: { from, to }, raw });
      } catch (error) {
        throw new MailError(`the mail server ${refusal(error)}`, fateOf(error));
      }
      return { via: 'smtp' };
    },
  };
}

/** The codes of the library and the server; their texts quote addresses. */
function refusal(error: unknown): string {
  const code = String(Reflect.get(Object(error), 'code') ?? 'unknown');
  const status: unknown = Reflect.get(Object(error), 'responseCode');
  return typeof status === 'number' ? `rejected the email: ${status} (${code})` : `could not be reached (${code})`;
}

/** A reply of 5xx to the envelope or the content is final (RFC 5321 section 4.2.1); one to the sign-in is ours to fix. */
function fateOf(error: unknown): MailFate {
  const [code, command, status] = ['code', 'command', 'responseCode'].map((key) => Reflect.get(Object(error), key));
  if (typeof status !== 'number') return command === 'DATA' ? 'unknown' : 'unsent';
  return status >= 500 && code !== 'EAUTH' ? 'rejected' : 'unsent';
}
