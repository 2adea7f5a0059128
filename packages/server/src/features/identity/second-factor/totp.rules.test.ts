import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backupCode, backupCodeHash, isBackupCode } from './backup-codes.rules.ts';
import { base32, codeAt, isAppCode, otpauthUrl, stepAt, stepOf, typedCode } from './totp.rules.ts';

const secret = Buffer.from('12345678901234567890', 'ascii');
const at = (seconds: number) => new Date(seconds * 1000);

test('matches the last six digits of the SHA-1 test vectors in RFC 6238, appendix B', () => {
  const vectors: readonly [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors)
    assert.equal(codeAt(secret, stepAt(at(seconds))), code.slice(-6), String(seconds));
});

test('RFC 4226, appendix D: matches the vectors of the counter', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
  assert.deepEqual(
    codes.map((_, step) => codeAt(secret, step)),
    codes,
  );
});

test('matches the base32 test vectors of RFC 4648, section 10', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  };
  for (const [plain, coded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(plain)), coded);
});

test('accepts a code one step early or late, and once', () => {
  const now = at(1_234_567_890);
  const step = stepAt(now);
  const taken = (offset: number, lastStep = -1) => stepOf(secret, codeAt(secret, step + offset), now, lastStep);
  assert.deepEqual(
    [-2, -1, 0, 1, 2].map((offset) => taken(offset)),
    [null, step - 1, step, step + 1, null],
  );
  assert.deepEqual(
    [-1, 0, 1].map((offset) => taken(offset, step)),
    [null, null, step + 1],
  );
  assert.equal(stepOf(secret, '', now, -1), null);
});

test('reads codes with spaces and dashes', () => {
  assert.equal(typedCode(' 123 456\u00a0'), '123456');
  assert.equal(isAppCode('123456'), true);
  for (const text of ['12345', '1234567', '１２３４５６', '12345a', '']) assert.equal(isAppCode(text), false, text);
  const code = backupCode(Buffer.from('ffeeddccbbaa99', 'hex'));
  assert.match(code, /^[a-z2-7]{5}-[a-z2-7]{5}$/);
  assert.equal(isBackupCode(typedCode(code.toUpperCase())), true);
  assert.deepEqual(backupCodeHash(secret, typedCode(code)), backupCodeHash(secret, typedCode(` ${code} `)));
  assert.notDeepEqual(backupCodeHash(secret, typedCode(code)), backupCodeHash(Buffer.alloc(20), typedCode(code)));
});

test('the address for the app names tenant and person, whatever their names', () => {
  const url = new URL(otpauthUrl(secret, { tenant: 'A: B & C?', email: 'jane+x@example.org' }));
  assert.deepEqual([url.protocol, url.host], ['otpauth:', 'totp']);
  assert.equal(decodeURIComponent(url.pathname), '/Arbiter A  B & C?:jane+x@example.org');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    issuer: 'Arbiter A  B & C?',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
