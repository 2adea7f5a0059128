import { MailError, type MailTransport } from './mail-transport.ts';

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
}

const connectMs = 5_000;
const answerMs = 20_000;

/**
 * Sends with SES. AWS's client is large, so it's loaded with the first email: installations without SES never wait for
 * it.
 */
export function createSesTransport({ region, credentials, endpoint }: SesAccount): MailTransport {
  async function load() {
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
    const client = new SESv2Client({
      region,
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
        await deliver(from, to, raw);
      } catch (error) {
        // Its text quotes addresses; its name comes from a fixed list.
        throw new MailError(`SES rejected the email: ${error instanceof Error ? error.name : 'unknown'}`);
      }
      return { via: 'ses' };
    },
  };
}

function withoutNull({ accessKeyId, secretAccessKey, sessionToken }: NonNullable<SesAccount['credentials']>) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) };
}
