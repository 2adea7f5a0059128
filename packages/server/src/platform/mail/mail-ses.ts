import { MailError, type MailFate, type MailTransport } from './mail-transport.ts';

/** Amazon SES of one region. */
export interface SesAccount {
  readonly region: string;
  /** Null: those of the machine, found as AWS' own tools find them (role of the container or instance, profile). */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string | null;
  } | null;
  /** Another address than the region's own, such as a VPC endpoint. */
  readonly endpoint: string | null;
  /** Attempts of the client per email. Default: the client's own. */
  readonly maxAttempts?: number;
}

const connectMs = 5_000;
const answerMs = 20_000;

/**
 * Sends with SES. AWS's client is large, so it's loaded with the first email: installations without SES never wait for
 * it.
 */
export function createSesTransport({ region, credentials, endpoint, maxAttempts }: SesAccount): MailTransport {
  async function load() {
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
    const client = new SESv2Client({
      region,
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs },
      ...(endpoint === null ? {} : { endpoint }),
      ...(credentials === null ? {} : { credentials: withoutNull(credentials) }),
    });
    return (from: string, to: string, raw: Buffer) =>
      client.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Raw: { Data: raw } },
        }),
      );
  }
  let loaded: ReturnType<typeof load> | null = null;
  return {
    about: `email is sent through Amazon SES in ${region}`,
    async send({ from, to, raw }) {
      loaded ??= load();
      const deliver = await loaded;
      try {
        const { MessageId: messageId } = await deliver(from, to, raw);
        return { via: 'ses', ...(messageId === undefined ? {} : { messageId }) };
      } catch (error) {
        // Its text quotes addresses; its name comes from a fixed list.
        const name = error instanceof Error ? error.name : 'unknown';
        throw new MailError(`SES rejected the email: ${name}`, fateOf(name));
      }
    },
  };
}

function withoutNull({ accessKeyId, secretAccessKey, sessionToken }: NonNullable<SesAccount['credentials']>) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) };
}

/** Errors of `SendEmail` that a second try doesn't change. */
const finalErrors = [
  'BadRequestException',
  'MailFromDomainNotVerifiedException',
  'MessageRejected',
  'NotFoundException',
];

function fateOf(name: string): MailFate {
  if (name === 'TimeoutError') return 'unknown';
  return finalErrors.includes(name) ? 'rejected' : 'unsent';
}
