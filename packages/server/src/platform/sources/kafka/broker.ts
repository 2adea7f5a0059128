import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import type { OutboundSockets } from '../../outbound/outbound-sockets.ts';
import { createScramClient } from '../scram.ts';
import { asSourceError, SourceError } from '../source-error.ts';
import { all, bytes, type Decoder, decoder, type Encoder, encoded, int16, int32, text } from './wire.ts';

/** How to reach and sign in to each broker. */
export interface KafkaAccess {
  readonly ssl: 'disable' | 'require' | 'verify_full';
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

/** A request in the one version that we speak. All exist since version 1.0, and in 4. */
export interface KafkaCall {
  readonly key: number;
  readonly version: number;
  readonly body: Encoder;
}

/** A connection to a broker. Its functions throw SourceError. */
export interface Broker {
  call(call: KafkaCall): Promise<Decoder>;
  close(): void;
}

const maxBytes = 64 * 1024 * 1024;
const answerMs = 30_000;

/** What an error of the protocol means. Throws SourceError. https://kafka.apache.org/protocol#protocol_error_codes */
export function assertNoError(code: number): void {
  if (code === 0) return;
  if (code === 3) throw new SourceError('not_found');
  if (code === 29 || code === 30 || code === 31) throw new SourceError('permission_denied');
  if (code === 33 || code === 34 || code === 58) throw new SourceError('auth_failed');
  throw new SourceError('unexpected_response');
}

interface Pending {
  readonly id: number;
  resolve(answer: Buffer): void;
  reject(error: Error): void;
}

function overSocket(socket: Socket): Broker {
  let received = Buffer.alloc(0);
  const pending: Pending[] = [];
  let count = 0;
  const fail = (error: Error) => {
    for (const each of pending.splice(0)) each.reject(error);
    socket.destroy();
  };
  socket.setTimeout(answerMs, () => {
    if (pending.length > 0) fail(new SourceError('connect_timeout'));
  });
  socket.on('error', (error) => fail(asSourceError(error)));
  socket.on('close', () => fail(new SourceError('connection_refused')));
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    while (received.length >= 4) {
      const size = received.readInt32BE();
      if (size < 4 || size > maxBytes) return fail(new SourceError('unexpected_response'));
      if (received.length < 4 + size) return;
      const answer = received.subarray(4, 4 + size);
      received = received.subarray(4 + size);
      const waiting = pending.shift();
      if (waiting?.id !== answer.readInt32BE()) return fail(new SourceError('unexpected_response'));
      waiting.resolve(answer.subarray(4));
    }
  });
  return {
    async call({ key, version, body }) {
      const id = ++count;
      const request = encoded(all(int16(key), int16(version), int32(id), text('arbiter'), body));
      const answer = new Promise<Buffer>((resolve, reject) => pending.push({ id, resolve, reject }));
      if (socket.destroyed) fail(new SourceError('connection_refused'));
      else socket.write(encoded(bytes(request)));
      return decoder(await answer);
    },
    close: () => socket.destroy(),
  };
}

async function signIn(broker: Broker, { mechanism, username, password }: NonNullable<KafkaAccess['sasl']>) {
  const handshake = await broker.call({ key: 17, version: 1, body: text(mechanism.toUpperCase()) });
  assertNoError(handshake.int16());
  const send = async (message: string): Promise<string> => {
    const answer = await broker.call({ key: 36, version: 0, body: bytes(Buffer.from(message)) });
    assertNoError(answer.int16());
    answer.nullableText();
    return (answer.nullableBytes() ?? Buffer.alloc(0)).toString();
  };
  if (mechanism === 'plain') return void (await send(`\0${username}\0${password}`));
  const scram = createScramClient(mechanism === 'scram-sha-256' ? 'sha256' : 'sha512', { username, password });
  scram.verify(await send(await scram.final(await send(scram.first))));
}

/** Connects to a broker over a socket that we checked, and signs in. Throws SourceError. */
export async function openBroker(
  sockets: OutboundSockets,
  { host, port }: { readonly host: string; readonly port: number },
  { ssl, sasl }: KafkaAccess,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Broker> {
  let socket: Socket | null = null;
  const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const leave = () => socket?.destroy(new SourceError('connect_timeout'));
  late.addEventListener('abort', leave, { once: true });
  try {
    socket = await sockets.connect({ host, port, protocol: 'tcp' }, { timeoutMs, signal });
    if (ssl !== 'disable') {
      const isName = !/^[\d.]+$|:/.test(host);
      socket = secure({ socket, rejectUnauthorized: ssl === 'verify_full', ...(isName ? { servername: host } : {}) });
      await once(socket, 'secureConnect');
    }
    const broker = overSocket(socket);
    if (sasl !== null) await signIn(broker, sasl);
    return broker;
  } catch (error) {
    socket?.destroy();
    throw asSourceError(error, () => (socket !== null && ssl !== 'disable' ? 'tls_failed' : null));
  } finally {
    late.removeEventListener('abort', leave);
  }
}
