import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { answerTo, done, errorToken, type TdsTables, text16 } from './test-tds-tables.ts';

// A server that speaks Tabular Data Stream 7.4 as published: [MS-TDS], https://learn.microsoft.com/openspecs/windows_protocols/ms-tds

const packetTypes = { batch: 1, rpc: 3, response: 4, attention: 6, login: 16, prelogin: 18 } as const;
const headerSize = 8;
const packetSize = 4096;

export interface TestTdsServer {
  readonly port: number;
  readonly tables: TdsTables;
  /** Statements that clients sent. */
  readonly statements: string[];
  /** Where logins are redirected; null: nowhere. */
  route: { readonly host: string; readonly port: number } | null;
  /** Error number of the next logins; null: none. */
  loginError: number | null;
  close(): void;
}

export interface TdsServerOptions {
  readonly username: string;
  readonly password: string;
  /** Encrypts only when the client asks for it. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

const packets = (type: number, payload: Buffer): Buffer[] => {
  const count = Math.max(1, Math.ceil(payload.length / (packetSize - headerSize)));
  return Array.from({ length: count }, (_none, at) => {
    const part = payload.subarray(at * (packetSize - headerSize), (at + 1) * (packetSize - headerSize));
    const header = Buffer.from([type, at === count - 1 ? 1 : 0, 0, 0, 0, 0, at & 255, 0]);
    header.writeUInt16BE(headerSize + part.length, 2);
    return Buffer.concat([header, part]);
  });
};

/** Returns a function that takes chunks of bytes, and calls `each` with each complete message. */
function messages(each: (type: number, payload: Buffer) => void): (chunk: Buffer) => void {
  let waiting = Buffer.alloc(0);
  let payloads: Buffer[] = [];
  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= headerSize && waiting.length >= waiting.readUInt16BE(2)) {
      const [type = 0, status = 0] = waiting;
      const length = waiting.readUInt16BE(2);
      payloads.push(waiting.subarray(headerSize, length));
      waiting = waiting.subarray(length);
      if ((status & 1) === 0) continue;
      const payload = Buffer.concat(payloads);
      payloads = [];
      each(type, payload);
    }
  };
}

/** VERSION and ENCRYPTION (0: off, 1: on, 2: not supported). */
function prelogin(encryption: number): Buffer {
  const option = (token: number, offset: number, length: number) => Buffer.from([token, 0, offset, 0, length]);
  return Buffer.concat([option(0, 11, 6), option(1, 17, 1), Buffer.from([255, 16, 0, 0, 0, 0, 0, encryption])]);
}

function encryptionIn(payload: Buffer): number {
  for (let at = 0; payload[at] !== 255; at += 5) {
    if (payload[at] === 1) return payload[payload.readUInt16BE(at + 1)] ?? 0;
  }
  return 2;
}

function loginOf(payload: Buffer): { readonly username: string; readonly password: string } {
  const field = (at: number) => {
    const from = payload.readUInt16LE(at);
    return payload.subarray(from, from + payload.readUInt16LE(at + 2) * 2);
  };
  const password = field(44).map((byte) => (((byte ^ 0xa5) << 4) | ((byte ^ 0xa5) >> 4)) & 255);
  return { username: field(40).toString('utf16le'), password: Buffer.from(password).toString('utf16le') };
}

const withLength = (token: number, body: Buffer): Buffer => {
  const head = Buffer.from([token, 0, 0]);
  head.writeUInt16LE(body.length, 1);
  return Buffer.concat([head, body]);
};

const accepted = (): Buffer =>
  withLength(0xad, Buffer.concat([Buffer.from([1, 0x74, 0, 0, 4, 4]), text16('peer'), Buffer.from([16, 0, 0, 0])]));

function routed({ host, port }: { readonly host: string; readonly port: number }): Buffer {
  const value = Buffer.concat([Buffer.from([0, port & 255, port >> 8, host.length, 0]), text16(host)]);
  return withLength(
    0xe3,
    Buffer.concat([Buffer.from([20, value.length & 255, value.length >> 8]), value, Buffer.alloc(2)]),
  );
}

/** Returns the statement and its parameter from a call of sp_executesql. */
function callIn(payload: Buffer): { readonly sql: string; readonly after: string | null } {
  let at = payload.readUInt32LE(0) + 6;
  const values: string[] = [];
  while (at < payload.length) {
    at += 1 + (payload[at] ?? 0) * 2 + 1;
    const isLong = payload.readUInt16LE(at + 1) === 0xffff;
    at += 8;
    let size = isLong ? payload.readUInt32LE(at + 8) : payload.readUInt16LE(at);
    at += isLong ? 12 : 2;
    values.push(payload.subarray(at, at + size).toString('utf16le'));
    at += size;
    while (isLong) {
      size = payload.readUInt32LE(at);
      at += 4 + size;
      if (size === 0) break;
    }
  }
  return { sql: values[0] ?? '', after: values[2] ?? null };
}

/** Starts the server on a free port of this machine. */
export async function startTestTdsServer(options: TdsServerOptions): Promise<TestTdsServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  const peer = {
    ...{ port: 0, tables: new Map(), statements: [] as string[], route: null, loginError: null },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  } as { -readonly [Key in keyof TestTdsServer]: TestTdsServer[Key] };

  function answer(type: number, payload: Buffer): Buffer {
    if (type === packetTypes.login) {
      const { username, password } = loginOf(payload);
      const isWrong = username !== options.username || password !== options.password;
      const number = peer.loginError ?? (isWrong ? 18_456 : null);
      if (number !== null) return Buffer.concat([errorToken(number), done(2)]);
      return Buffer.concat([accepted(), ...(peer.route === null ? [] : [routed(peer.route)]), done()]);
    }
    if (type === packetTypes.attention) return done(0x20);
    if (type === packetTypes.batch) return done();
    const call = callIn(payload);
    peer.statements.push(call.sql);
    return answerTo(peer.tables, call);
  }

  function serve(socket: Socket): void {
    let secure: TLSSocket | null = null;
    let isHandshake = true;
    const send = (to: { write(bytes: Buffer): unknown }, type: number, payload: Buffer) => {
      for (const packet of packets(type, payload)) to.write(packet);
    };
    const requests = messages((type, payload) => {
      isHandshake = false;
      send(secure ?? socket, packetTypes.response, answer(type, payload));
    });
    // Before the login, TLS records travel inside prelogin packets. After it, packets travel inside TLS records.
    const pipe = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, callback) {
        if (isHandshake) send(socket, packetTypes.prelogin, chunk);
        else socket.write(chunk);
        callback();
      },
    });
    const beforeLogin = messages((type, payload) => {
      if (type !== packetTypes.prelogin)
        return requests(packets(type, payload).reduce((a, b) => Buffer.concat([a, b])));
      if (secure !== null) return void pipe.push(payload);
      const wanted = encryptionIn(payload);
      const isOn = options.tls !== undefined && wanted === 1;
      send(socket, packetTypes.response, prelogin(isOn ? 1 : 2));
      if (!isOn || options.tls === undefined) return;
      secure = new TLSSocket(pipe, { isServer: true, maxVersion: 'TLSv1.2', ...options.tls });
      secure.on('error', () => socket.destroy());
      secure.on('data', requests);
    });
    let isRaw = false;
    socket.on('data', (chunk: Buffer) => {
      // Application data instead of a packet: the handshake is over.
      isRaw ||= secure !== null && chunk[0] === 0x17;
      if (isRaw) pipe.push(chunk);
      else beforeLogin(chunk);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  peer.port = (server.address() as AddressInfo).port;
  return peer;
}
