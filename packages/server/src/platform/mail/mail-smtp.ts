import { isIP } from 'node:net';
import type { SmtpServer } from '../../config/mail-settings.ts';
import { MailError, type MailTransport } from './mail-transport.ts';

const connectMs = 10_000;
const silenceMs = 20_000;

/**
 * Sends by the operator's own mail server, a connection for each mail: mails are few, and a connection that is kept has
 * often been closed by the other side when it is needed.
 *
 * @param authority certificate (PEM) that is trusted besides those of the system
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
        // Loaded with the first mail: no start waits for it.
        const { createTransport } = await import('nodemailer');
        await createTransport(settings).sendMail({ envelope: { from, to }, raw });
      } catch (error) {
        throw new MailError(`the mail server ${refusal(error)}`);
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
