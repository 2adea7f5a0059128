import { createHash } from 'node:crypto';
import { basename, join } from 'node:path/posix';
import type { Client, ConnectConfig, SFTPWrapper } from 'ssh2';
import type { OutboundSockets } from '../outbound/outbound-sockets.ts';
import type { FileStore, StoredFile } from './file-store.ts';
import { asSourceError, SourceError } from './source-error.ts';

export interface SftpTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | undefined;
  readonly privateKey: string | undefined;
  readonly passphrase: string | undefined;
  /** A fingerprint (`SHA256:...`) or a line of known_hosts. Undefined accepts any key. */
  readonly hostKey: string | undefined;
  readonly path: string;
}

const deepest = 20;
const noSuchFile = 2;
const permissionDenied = 3;

function reasonOf(error: unknown): SourceError['reason'] | null {
  if (!(error instanceof Error)) return null;
  const level: unknown = Reflect.get(error, 'level');
  if (level === 'client-authentication') return 'auth_failed';
  if (level === 'client-timeout') return 'connect_timeout';
  if (level === 'handshake') return 'tls_failed';
  const code: unknown = Reflect.get(error, 'code');
  if (code === noSuchFile) return 'not_found';
  return code === permissionDenied ? 'permission_denied' : null;
}

/** Whether a key is the pinned one. */
function isPinnedKey(key: Uint8Array, pinned: string): boolean {
  const digest = createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
  const text = pinned.trim();
  if (text.startsWith('SHA256:')) return text.slice('SHA256:'.length).replace(/=+$/, '') === digest;
  return text.split(/\s+/).includes(Buffer.from(key).toString('base64'));
}

async function connected(
  client: Client,
  { username, password, privateKey, passphrase, hostKey }: SftpTarget,
  connection: Pick<ConnectConfig, 'sock' | 'readyTimeout'>,
): Promise<SFTPWrapper> {
  const [kind] = /\b(ssh-ed25519|ecdsa-sha2-nistp\d+)\b/.exec(hostKey ?? '') ?? [];
  await new Promise<void>((resolve, reject) => {
    client.once('ready', () => resolve());
    client.on('error', reject);
    client.on('close', () => reject(new SourceError('connection_refused')));
    if (password !== undefined) {
      client.on('keyboard-interactive', (_name, _text, _language, prompts, answer) =>
        answer(prompts.map(() => password)),
      );
    }
    try {
      client.connect({
        ...connection,
        username,
        ...(password === undefined ? {} : { password, tryKeyboard: true }),
        ...(privateKey === undefined ? {} : { privateKey, ...(passphrase === undefined ? {} : { passphrase }) }),
        ...(hostKey === undefined ? {} : { hostVerifier: (key: Buffer) => isPinnedKey(key, hostKey) }),
        // A server with several keys shows the pinned one.
        ...(kind === undefined ? {} : { algorithms: { serverHostKey: { prepend: kind, append: [], remove: [] } } }),
      } as ConnectConfig);
    } catch (cause) {
      // A private key that can't be read, or a wrong passphrase.
      reject(new SourceError('auth_failed', { cause }));
    }
  });
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp)));
  });
}

/**
 * Opens a folder or a file over a socket that we checked, so that the driver dials nowhere on its own. Throws SourceError;
 * `tls_failed` if the server shows another key than the pinned one.
 */
export async function openSftpStore(
  sockets: OutboundSockets,
  target: SftpTarget,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<FileStore> {
  const { Client: SshClient } = (await import('ssh2')).default;
  const { host, port, path } = target;
  const sock = await sockets.connect({ host, port, protocol: 'sftp' }, { timeoutMs, signal }).catch((error) => {
    throw asSourceError(error);
  });
  const client = new SshClient();
  const leave = () => sock.destroy();
  signal.addEventListener('abort', leave, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', leave);
    client.end();
    sock.destroy();
  };
  try {
    const sftp = await connected(client, target, { sock, readyTimeout: timeoutMs });
    const { isFolder } = await statOf(sftp, path);
    return {
      list: () => (isFolder ? walk(sftp, path, '', 0) : single(sftp, path)),
      async open(name) {
        const stream = sftp.createReadStream(isFolder ? join(path, name) : path);
        // A reader that left doesn't hear that its file can't be closed.
        stream.on('error', () => undefined);
        return withReasons(stream);
      },
      close,
    };
  } catch (error) {
    await close();
    throw signal.aborted ? new SourceError('connect_timeout', { cause: error }) : asSourceError(error, reasonOf);
  }
}

async function* withReasons(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw asSourceError(error, reasonOf);
  }
}

/** Runs a call of the driver, which hears nothing of a connection that is lost. */
const statOf = (sftp: SFTPWrapper, path: string) =>
  new Promise<{ readonly isFolder: boolean; readonly mtime: number; readonly size: number }>((resolve, reject) => {
    sftp.stat(path, (error, stats) =>
      error
        ? reject(asSourceError(error, reasonOf))
        : resolve({ isFolder: stats.isDirectory(), mtime: stats.mtime, size: stats.size }),
    );
  });

const fileOf = (name: string, { mtime, size }: { readonly mtime: number; readonly size: number }): StoredFile => ({
  ...{ name, mtime: mtime * 1000, version: `${mtime} ${size}` },
});

async function* single(sftp: SFTPWrapper, path: string): AsyncGenerator<StoredFile> {
  yield fileOf(basename(path), await statOf(sftp, path));
}

/** Lists files below a folder. Links aren't followed: they may form a circle. */
async function* walk(sftp: SFTPWrapper, root: string, below: string, depth: number): AsyncGenerator<StoredFile> {
  if (depth > deepest) return;
  const entries = await new Promise<Parameters<Parameters<SFTPWrapper['readdir']>[1]>[1]>((resolve, reject) => {
    sftp.readdir(join(root, below), (error, list) => (error ? reject(asSourceError(error, reasonOf)) : resolve(list)));
  });
  for (const { filename, attrs } of entries) {
    if (filename === '.' || filename === '..' || filename.includes('/')) continue;
    const name = below === '' ? filename : `${below}/${filename}`;
    if (attrs.isDirectory()) yield* walk(sftp, root, name, depth + 1);
    else if (attrs.isFile()) yield fileOf(name, attrs);
  }
}
