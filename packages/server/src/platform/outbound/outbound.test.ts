import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { AppError } from '../app-error.ts';
import { createOutbound } from './outbound.ts';
import { mayReach, parseNetworks } from './outbound-addresses.ts';
import { OutboundError, type OutboundFailure } from './outbound-error.ts';
import { mayUsePort } from './outbound-ports.ts';

let server: Server;
let port: number;
let hits = 0;
let respond: RequestListener = (_request, response) => response.end('ok');
before(async () => {
  server = createServer((request, response) => {
    hits++;
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const failsWith = (reason: OutboundFailure) => (error: unknown) =>
  error instanceof OutboundError && error.reason === reason;
const toCanary = ['127.0.0.0/8'];

test('makes 256 parallel calls to one destination without waiting for each other', async () => {
  const waiting: (() => void)[] = [];
  // Answers nobody until all requests are in.
  respond = (_request, response) => {
    waiting.push(() => response.end('ok'));
    if (waiting.length === 256) for (const answer of waiting) answer();
  };
  const outbound = createOutbound({ allowHttp: true, allowNetworks: toCanary });
  try {
    const calls = Array.from({ length: 256 }, () =>
      outbound.call(`http://127.0.0.1:${port}/`, { timeoutMs: 20_000 }).then(({ status }) => status),
    );
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([200]));
  } finally {
    respond = (_request, response) => response.end('ok');
    await outbound.close();
  }
});

test('F21: every internal address is blocked, in any notation', () => {
  const closed = [
    ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '169.254.170.2', '100.64.0.1', '100.127.255.255', '100.100.100.200', '168.63.129.16'],
    ...[
      '192.0.0.192',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1'],
    ...[
      '64:ff9b::169.254.169.254',
      '64:ff9b:1::7f00:1',
      '2002:7f00:1::',
      '2002:a9fe:a9fe::1',
      'fc00::1',
      'fd00:ec2::254',
    ],
    ...[
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
      '2001::1',
      '100::1',
      '2001:470::5efe:7f00:1',
      '3fff::1',
    ],
    ...['4000::1', '5f00::1'],
    ...['localhost', '', '1.2.3', 'metadata.google.internal'],
  ];
  for (const address of closed) assert.equal(mayReach(address), false, address);
  for (const address of [
    '1.1.1.1',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2002:101:101::1',
  ]) {
    assert.equal(mayReach(address), true, address);
  }
});

test('an operator opens private networks one by one', () => {
  const allowed = parseNetworks(['10.1.0.0/16', 'fd12::/32', '192.168.1.5']);
  assert.equal(mayReach('10.1.2.3', allowed), true);
  assert.equal(mayReach('::ffff:10.1.2.3', allowed), true);
  assert.equal(mayReach('fd12::1', allowed), true);
  assert.equal(mayReach('192.168.1.5', allowed), true);
  for (const address of ['10.2.0.1', 'fd13::1', '192.168.1.6', '169.254.169.254'])
    assert.equal(mayReach(address, allowed), false);
});

test('T8: spellings of a loopback address reach nothing', async () => {
  const outbound = createOutbound({ allowHttp: true });
  const before = hits;
  const hosts = [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ];
  for (const host of hosts) {
    await assert.rejects(outbound.call(`http://${host}:${port}/`), failsWith('forbidden_address'), host);
  }
  await assert.rejects(outbound.call(`http://localhost:${port}/`), failsWith('forbidden_address'));
  await assert.rejects(outbound.call(`http://localhost.:${port}/`), (error) => error instanceof OutboundError);
  assert.equal(hits, before);
  await outbound.close();
});

test('T8: a name with one blocked address is blocked, and a changing one is checked each time', async () => {
  const before = hits;
  const mixed = createOutbound({ allowHttp: true, resolve: async () => ['1.1.1.1', '127.0.0.1'] });
  await assert.rejects(mixed.call(`http://mixed.example:${port}/`), failsWith('forbidden_address'));
  await mixed.close();
  let asked = 0;
  const flipping = createOutbound({
    allowHttp: true,
    // 192.0.2.1 would be an open address if it were not reserved: nothing listens there.
    resolve: async () => [asked++ % 2 === 0 ? '127.0.0.1' : '169.254.169.254'],
  });
  for (let i = 0; i < 1_000; i++) {
    await assert.rejects(flipping.call(`http://flip.example:${port}/`), failsWith('forbidden_address'));
  }
  await flipping.close();
  assert.equal(asked, 1_000);
  assert.equal(hits, before);
});

test('connects to the checked address, and resolves the name once', async () => {
  let asked = 0;
  const outbound = createOutbound({
    allowHttp: true,
    allowNetworks: toCanary,
    resolve: async () => {
      asked++;
      return asked === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    },
  });
  respond = (request, response) => response.end(`${request.headers.host} ${request.method}`);
  const answer = await outbound.call(`http://sink.example:${port}/path`, { method: 'POST', body: 'x' });
  assert.deepEqual([answer.status, answer.body.toString(), asked], [200, `sink.example:${port} POST`, 1]);
  await outbound.close();
});

test('T8, T28: follows no redirect', async () => {
  const outbound = createOutbound({ allowHttp: true, allowNetworks: toCanary });
  const before = hits;
  respond = (_request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${port}/elsewhere` });
    response.end();
  };
  const answer = await outbound.call(`http://127.0.0.1:${port}/`, { headers: { authorization: 'Bearer secret' } });
  assert.equal(answer.status, 307);
  assert.equal(hits, before + 1);
  await outbound.close();
});

test('limits time and size', async () => {
  const outbound = createOutbound({ allowHttp: true, allowNetworks: toCanary });
  const url = `http://127.0.0.1:${port}/`;
  respond = () => undefined;
  await assert.rejects(outbound.call(url, { timeoutMs: 100 }), failsWith('timeout'));
  respond = (_request, response) => {
    // One byte now and then: each is in time, the whole answer isn't.
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  await assert.rejects(outbound.call(url, { timeoutMs: 200 }), failsWith('timeout'));
  respond = (_request, response) => response.end('x'.repeat(70_000));
  await assert.rejects(outbound.call(url), failsWith('too_large'));
  assert.equal((await outbound.call(url, { maxBytes: 70_000 })).body.length, 70_000);
  respond = (request) => request.socket.destroy();
  await assert.rejects(outbound.call(url), failsWith('failed'));
  server.closeAllConnections();
  await outbound.close();
});

test('https only by default; no credentials in the address; no header that reframes the request', async () => {
  const outbound = createOutbound();
  for (const url of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://u:p@example.com/',
    'x',
  ]) {
    await assert.rejects(outbound.call(url), failsWith('forbidden_url'), url);
  }
  for (const [name, value] of [
    ['Host', 'a'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['X-A', 'a\r\nB: c'],
  ]) {
    await assert.rejects(outbound.call('https://example.com/', { headers: { [name!]: value! } }), AppError, name);
  }
  await outbound.close();
});

test('reports a name without an address separately', async () => {
  const outbound = createOutbound({
    resolve: async () => {
      throw new Error('ENOTFOUND');
    },
  });
  await assert.rejects(outbound.call('https://absent.example/'), failsWith('unresolved'));
  await outbound.close();
});

test("T8: below 1024, only the protocol's ports are open", () => {
  const open = (protocol: Parameters<typeof mayUsePort>[0]) =>
    Array.from({ length: 1_024 }, (_, port) => port).filter((port) => mayUsePort(protocol, port));
  assert.deepEqual([open('http'), open('https'), open('sftp'), open('tcp')], [[80], [443], [22], []]);
  for (const port of [1_024, 5_432, 8_443, 65_535]) assert.equal(mayUsePort('tcp', port), true, String(port));
  for (const port of [-1, 65_536, 80.5, Number.NaN, Infinity])
    assert.equal(mayUsePort('http', port), false, String(port));
});

test("T8: doesn't call a port of another service, even if the operator opened the network", async () => {
  let asked = 0;
  const outbound = createOutbound({
    allowHttp: true,
    allowNetworks: toCanary,
    resolve: async () => {
      asked += 1;
      return ['127.0.0.1'];
    },
  });
  const closed = [
    ...[0, 1, 21, 22, 23, 25, 53, 111, 139, 389, 443, 445, 465, 587, 873, 1023].map(
      (each) => `http://inside.example:${each}/`,
    ),
    ...[0, 22, 25, 80, 110, 636, 993, 1023].map((each) => `https://inside.example:${each}/`),
    ...['http://127.0.0.1:22/', 'https://[::ffff:127.0.0.1]:25/', 'http://2130706433:25/'],
  ];
  for (const url of closed) await assert.rejects(outbound.call(url), failsWith('forbidden_port'), url);
  for (const url of ['http://inside.example:25/', 'https://inside.example:0/']) {
    await assert.rejects(outbound.call(url, { anyPort: true }), failsWith('forbidden_port'), url);
  }
  assert.equal(asked, 0, 'no name was even resolved');
  respond = (_request, response) => response.end('ok');
  assert.equal((await outbound.call(`http://inside.example:${port}/`)).status, 200);
  await outbound.close();
});

test('https reaches any port if its caller allows it, and still checks the address', async () => {
  const outbound = createOutbound({ resolve: async () => ['10.0.0.1'] });
  await assert.rejects(outbound.call('https://hook.example:636/', { anyPort: true }), failsWith('forbidden_address'));
  await assert.rejects(outbound.call('https://hook.example:636/'), failsWith('forbidden_port'));
  await outbound.close();
});
