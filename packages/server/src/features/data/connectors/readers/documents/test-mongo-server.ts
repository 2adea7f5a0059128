import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Binary, type Document, deserialize, EJSON, Long, ObjectId, serialize } from 'bson';
import { createScramServer } from '../test-scram-server.ts';

/** A server that speaks OP_MSG: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol */

export interface TestMongo {
  readonly port: number;
  /** By `database.collection`, in any order. */
  readonly collections: Map<string, Document[]>;
  readonly commands: Document[];
  user: { readonly username: string; readonly password: string; readonly isOld: boolean } | null;
  /** Added to what a server says of itself. */
  hello: Document;
  close(): void;
}

interface Session {
  isSignedIn: boolean;
  scram: ReturnType<typeof createScramServer> | null;
}

const rank = (key: unknown): number => (typeof key === 'number' ? 1 : typeof key === 'string' ? 2 : 3);
const textOf = (key: unknown): string => (key instanceof ObjectId ? key.toHexString() : String(key));

/** Keys of one type by value, types in MongoDB's order. */
function compare(a: unknown, b: unknown): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b));
}

const cursors = new Map<string, Document[]>();

/** At most this many documents of an answer, whatever was asked for. */
const maxAnswerLength = 600;

function page(list: Document[], name: string, part: 'firstBatch' | 'nextBatch', size: number): Document {
  const found = list.splice(0, Math.min(size, maxAnswerLength));
  const id = list.length === 0 ? Long.ZERO : Long.fromNumber(cursors.size + 1);
  if (list.length > 0) cursors.set(id.toString(), list);
  return { ok: 1, cursor: { id, ns: name, [part]: found } };
}

function find({ collections }: TestMongo, command: Document): Document {
  const name = `${command.$db}.${command.find}`;
  assert.deepEqual(command.sort, { _id: 1 });
  if (command.min !== undefined) assert.deepEqual(command.hint, { _id: 1 });
  const list = [...(collections.get(name) ?? [])]
    .sort((a, b) => compare(a._id, b._id))
    .filter(({ _id }) => command.min === undefined || compare(_id, command.min._id) >= 0)
    .slice(0, command.limit ?? Number.POSITIVE_INFINITY);
  return page(list, name, 'firstBatch', command.batchSize);
}

function authenticate({ user }: TestMongo, session: Session, command: Document): Document {
  if (user === null) return { ok: 0, code: 18 };
  if (command.saslStart === 1) {
    const isOld = command.mechanism === 'SCRAM-SHA-1';
    if (isOld !== user.isOld) return { ok: 0, code: 334 };
    const digest = createHash('md5').update(`${user.username}:mongo:${user.password}`).digest('hex');
    session.scram = createScramServer(isOld ? 'sha1' : 'sha256', isOld ? digest : user.password);
  }
  const text = Buffer.from((command.payload as Binary).value()).toString();
  // Old servers end with an empty message.
  if (session.isSignedIn && text === '') return { ok: 1, conversationId: 1, done: true, payload: new Binary() };
  const reply = session.scram?.(text) ?? null;
  if (reply === null) return { ok: 0, code: 18, errmsg: 'Authentication failed.' };
  session.isSignedIn = reply.startsWith('v=');
  const done = session.isSignedIn && !user.isOld;
  return { ok: 1, conversationId: 1, done, payload: new Binary(Buffer.from(reply)) };
}

function answerTo(server: TestMongo, session: Session, command: Document): Document {
  if (command.hello === 1) {
    const mechanisms = server.user?.isOld ? ['SCRAM-SHA-1'] : ['SCRAM-SHA-1', 'SCRAM-SHA-256'];
    return { ok: 1, isWritablePrimary: true, maxWireVersion: 21, saslSupportedMechs: mechanisms, ...server.hello };
  }
  if (command.saslStart === 1 || command.saslContinue === 1) return authenticate(server, session, command);
  if (server.user !== null && !session.isSignedIn) return { ok: 0, code: 13, errmsg: 'secret text' };
  if (command.find !== undefined) return find(server, command);
  const list = cursors.get(String(command.getMore));
  if (list === undefined) return { ok: 0, code: 43 };
  return page(list, `${command.$db}.${command.collection}`, 'nextBatch', command.batchSize);
}

export async function startMongoServer(): Promise<TestMongo> {
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const session: Session = { isSignedIn: false, scram: null };
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      // A greeting of TLS looks like a huge message.
      if (received.length >= 4 && received.readUInt32LE() > 48e6) return void socket.destroy();
      while (received.length >= 4 && received.length >= received.readInt32LE()) {
        const message = received.subarray(0, received.readInt32LE());
        received = received.subarray(message.length);
        assert.deepEqual([message.readInt32LE(12), message.readInt32LE(16), message[20]], [2013, 0, 0]);
        const command = deserialize(message.subarray(21));
        server.commands.push(command);
        const body = serialize(answerTo(server, session, command));
        const head = Buffer.alloc(21);
        head.writeInt32LE(21 + body.length);
        head.writeInt32LE(message.readInt32LE(4), 8);
        head.writeInt32LE(2013, 12);
        socket.write(Buffer.concat([head, body]));
      }
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const server: TestMongo = {
    ...{ port: (listener.address() as AddressInfo).port, collections: new Map(), commands: [], user: null, hello: {} },
    close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
  return server;
}

/** A filter as the server got it. */
export const plainCommand = (command: Document | undefined): unknown => JSON.parse(EJSON.stringify(command ?? null));
