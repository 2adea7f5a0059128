/** How the values of mail's variables are read (config.ts), and what an address is. */

/** The sender: `address`, or `Name <address>`. */
export interface MailSender {
  readonly name: string;
  readonly address: string;
}

const longestAddress = 254;

/**
 * True for one address that an email can go to: no second address, no name, no comment, nothing that could end a line of the
 * header (docs/design/quality.md T20).
 */
export function isMailAddress(text: string): boolean {
  return text.length <= longestAddress && /^[^\s\p{C}<>()[\],;:"\\@]+@[^\s\p{C}<>()[\],;:"\\@]+$/u.test(text);
}

/** Reads a sender. Throws an Error whose message completes "<NAME> ...". */
export function readSender(text: string): MailSender {
  const named = /^"?([^"<>\p{C}]*?)"? *<([^<>]+)>$/u.exec(text);
  const address = named?.[2] ?? text;
  if (!isMailAddress(address)) throw new Error('must be an address, or a name and <address>');
  return { name: named?.[1] ?? '', address };
}

/**
 * How the connection is protected. `required`: TLS, or nothing is sent. `if-offered`: STARTTLS where the server has it.
 * `unverified`: TLS is required, and any server that answers is trusted.
 */
export type SmtpTls = 'required' | 'if-offered' | 'unverified';

/** What SMTP_URL says. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps`). */
  readonly implicitTls: boolean;
  readonly tls: SmtpTls;
  readonly user: string;
  readonly password: string;
}

const ways: readonly string[] = ['required', 'if-offered', 'unverified'];

/**
 * Reads `smtp[s]://[user:password@]host[:port][?tls=...]`. Passwords go over TLS only, unless the server is this machine.
 * Throws an Error whose message completes "SMTP_URL ...".
 */
export function readSmtpUrl(text: string): SmtpServer {
  if (!URL.canParse(text)) throw new Error('must be a URL such as smtps://user:password@mail.example.com');
  const url = new URL(text);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') throw new Error('must start with smtp:// or smtps://');
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '') {
    throw new Error('must name a server without a path');
  }
  const others = [...url.searchParams.keys()].filter((name) => name !== 'tls');
  if (others.length > 0) throw new Error(`has an unknown parameter: ${others[0]}`);
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const implicitTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const usual = implicitTls || (user !== '' && !isThisMachine(host)) ? 'required' : 'if-offered';
  const tls = url.searchParams.get('tls') ?? usual;
  if (!ways.includes(tls)) throw new Error(`has tls=${tls}; it must be one of ${ways.join(', ')}`);
  return {
    host,
    port: url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port),
    implicitTls,
    tls: ways.find((way): way is SmtpTls => way === tls) ?? usual,
    user,
    password,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a user or password with a single % sign; write it as %25');
  }
}

const isThisMachine = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);
