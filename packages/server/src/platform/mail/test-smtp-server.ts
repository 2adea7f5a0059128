import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An email that the test server received. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether the connection was protected. */
  readonly secure: boolean;
  /** The user that had signed in; undefined without. */
  readonly user: string | undefined;
  readonly raw: string;
  readonly parsed: ParsedMail;
}

/** An SMTP server on a free port of this machine. */
export interface TestSmtpServer {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  close(): Promise<void>;
}

/**
 * Starts an SMTP server. Options are the library's; by default it accepts every email, has STARTTLS with
 * `testCertificate` and knows the user `arbiter` with the password `p@ss%word`.
 */
export async function startTestSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const mails: TakenMail[] = [];
  const server = new SMTPServer({
    key: testKey,
    cert: testCertificate,
    authOptional: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === 'arbiter' && password === 'p@ss%word') done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks);
        simpleParser(raw).then((parsed) => {
          mails.push({
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            secure,
            user: typeof user === 'string' ? user : undefined,
            raw: raw.toString('utf8'),
            parsed,
          });
          done();
        }, done);
      });
    },
    ...options,
  });
  // A client that disconnects because it doesn't trust the certificate. The client's test asserts it.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** For localhost and 127.0.0.1, valid until 2126. Created for tests and used nowhere else. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUV4EoNkZOcwBAHD57B66MhQKgYxYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE5MzIwNFoYDzIxMjYxMDI5
MTkzMjA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS4ERXzx3MwpCApHmtJjxYWZ6wDXUVkCz7daJk6CBrWmYfPlKlUILiQ
6WIN1ukBpi302D4wcvWpefq27trSgkZJo28wbTAdBgNVHQ4EFgQUzTrl54I5P67m
XIp7N9ViG+mgtf4wHwYDVR0jBBgwFoAUzTrl54I5P67mXIp7N9ViG+mgtf4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAJesFXgf85clyrKox0AHZqhK7LPbyGJYaGWHbRga0f9CAiEA
381DWIWAFahXMx7aSIZx5VvYtlK1VZ5sk/3fIJE0v90=
-----END CERTIFICATE-----
`;

export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRHUW7TJjSZTTgi3G
bXe6fYhu+DWsnVLRhOO5RP7xU2OhRANCAAS4ERXzx3MwpCApHmtJjxYWZ6wDXUVk
Cz7daJk6CBrWmYfPlKlUILiQ6WIN1ukBpi302D4wcvWpefq27trSgkZJ
-----END PRIVATE KEY-----
`;
