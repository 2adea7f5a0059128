import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import { Binary, type Document, deserialize, serialize } from 'bson';
import type { OutboundSockets } from '../../outbound/outbound-sockets.ts';
import { createScramClient } from '../scram.ts';
import { asSourceError, SourceError } from '../source-error.ts';
import type { MongoHost, MongoTarget } from './address.ts';

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg

/** A session with one server. Its functions throw SourceError. */
export interface MongoSession {
  run(database: string, command: Document): Promise<Document>;
  close(): void;
}

export interface MongoOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const opMsg = 2013;
const headBytes = 21;
const maxBytes = 48 * 1024 * 1024;
const answerMs = 60_000;

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const reasons: Readonly<Record<number, SourceError['reason']>> = {
  ...{ 8000: 'auth_failed', 18: 'auth_failed', 11: 'auth_failed', 334: 'auth_failed' },
  ...{ 13: 'permission_denied', 26: 'not_found' },
};

function assertOk(answer: Document): Document {
  if (answer.ok === 1) return answer;
  throw new SourceError(reasons[Number(answer.code)] ?? 'unexpected_response');
}

interface Pending {
  readonly id: number;
  resolve(answer: Document): void;
  reject(error: Error): void;
}

function overSocket(socket: Socket): MongoSession {
  let received = Buffer.alloc(0);
  let pending: Pending | null = null;
  let count = 0;
  const fail = (error: Error) => {
    pending?.reject(error);
    pending = null;
    socket.destroy();
  };
  const take = () => {
    if (received.length < 4) return;
    const size = received.readInt32LE();
    if (size < headBytes || size > maxBytes) return fail(new SourceError('unexpected_response'));
    if (received.length < size) return;
    const message = received.subarray(0, size);
    received = received.subarray(size);
    const isAnswer = message.readInt32LE(8) === pending?.id && message.readInt32LE(12) === opMsg && message[20] === 0;
    if (!isAnswer) return fail(new SourceError('unexpected_response'));
    try {
      const body = message.subarray(headBytes, headBytes + message.readInt32LE(headBytes));
      pending?.resolve(deserialize(body));
      pending = null;
    } catch (cause) {
      fail(new SourceError('unexpected_response', { cause }));
    }
  };
  socket.setTimeout(answerMs, () => {
    if (pending !== null) fail(new SourceError('connect_timeout'));
  });
  socket.on('error', (error) => fail(asSourceError(error)));
  socket.on('close', () => fail(new SourceError('connection_refused')));
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    take();
  });
  return {
    async run(database, command) {
      const id = ++count;
      const body = serialize({ ...command, $db: database });
      const head = Buffer.alloc(headBytes);
      head.writeInt32LE(headBytes + body.length);
      head.writeInt32LE(id, 4);
      head.writeInt32LE(opMsg, 12);
      const answer = new Promise<Document>((resolve, reject) => {
        pending = { id, resolve, reject };
      });
      if (socket.destroyed) fail(new SourceError('connection_refused'));
      else socket.write(Buffer.concat([head, body]));
      return assertOk(await answer);
    },
    close: () => socket.destroy(),
  };
}

const payloadOf = (text: string) => new Binary(Buffer.from(text));

async function signIn(session: MongoSession, user: NonNullable<MongoTarget['user']>, hello: Document): Promise<void> {
  const { username, password, database } = user;
  const offered: unknown = hello.saslSupportedMechs;
  const isModern = Array.isArray(offered) && offered.includes('SCRAM-SHA-256');
  const secret = isModern ? password : createHash('md5').update(`${username}:mongo:${password}`).digest('hex');
  const scram = createScramClient(isModern ? 'sha256' : 'sha1', { username, password: secret });
  const text = ({ payload }: Document): string => {
    if (!(payload instanceof Binary)) throw new SourceError('unexpected_response');
    return Buffer.from(payload.value()).toString();
  };
  const first = await session.run(database, {
    ...{ saslStart: 1, mechanism: isModern ? 'SCRAM-SHA-256' : 'SCRAM-SHA-1', payload: payloadOf(scram.first) },
    options: { skipEmptyExchange: true },
  });
  const { conversationId } = first;
  const proof = payloadOf(await scram.final(text(first)));
  let last = await session.run(database, { saslContinue: 1, conversationId, payload: proof });
  scram.verify(text(last));
  // Servers before 4.4 want an empty message at the end.
  if (last.done !== true)
    last = await session.run(database, { saslContinue: 1, conversationId, payload: payloadOf('') });
  if (last.done !== true) throw new SourceError('auth_failed');
}

async function openHost(
  sockets: OutboundSockets,
  { host, port }: MongoHost,
  { tls, user }: MongoTarget,
  { timeoutMs, signal }: MongoOptions,
): Promise<MongoSession> {
  let socket: Socket | null = null;
  const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const leave = () => socket?.destroy(new SourceError('connect_timeout'));
  late.addEventListener('abort', leave, { once: true });
  try {
    socket = await sockets.connect({ host, port, protocol: 'tcp' }, { timeoutMs, signal });
    if (tls) {
      socket = secure({ socket, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) });
      await once(socket, 'secureConnect');
    }
    const session = overSocket(socket);
    const mechanisms = user === null ? {} : { saslSupportedMechs: `${user.database}.${user.username}` };
    const hello = await session.run('admin', { hello: 1, ...mechanisms });
    // An arbiter of a replica set has no data.
    if (hello.arbiterOnly === true) throw new SourceError('unexpected_response');
    if (user !== null) await signIn(session, user, hello);
    // The signal of the caller ends the session too.
    signal.addEventListener('abort', () => session.close(), { once: true });
    return session;
  } catch (error) {
    socket?.destroy();
    throw asSourceError(error, () => (socket !== null && tls ? 'tls_failed' : null));
  } finally {
    late.removeEventListener('abort', leave);
  }
}

/**
 * Opens a session with the first host that answers, over a socket that we checked. Members that it names aren't dialed.
 * Throws SourceError.
 */
export async function openMongo(
  sockets: OutboundSockets,
  hosts: readonly MongoHost[],
  target: MongoTarget,
  options: MongoOptions,
): Promise<MongoSession> {
  let failure: unknown = new SourceError('missing_config');
  for (const host of hosts) {
    try {
      return await openHost(sockets, host, target, options);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}
