import assert from 'node:assert/strict';
import { codeAt, stepAt } from './totp.rules.ts';

/** An authenticator app, as a person of a test has it. */
export interface TestApp {
  /** The code that it shows `steps` steps of 30 seconds from now. */
  code(now: Date, steps?: number): string;
}

/** Takes the secret of a set-up. */
export function createTestApp(secret: string): TestApp {
  const bytes = fromBase32(secret);
  return { code: (now, steps = 0) => codeAt(bytes, stepAt(now) + steps) };
}

function fromBase32(text: string): Buffer {
  assert.match(text, /^[A-Z2-7]+$/);
  const bits = [...text]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
