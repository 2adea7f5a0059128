import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../app-error.ts';

/** Hashes passwords with Argon2id (RFC 9106), a few at a time. */
export interface Passwords {
  /** The hash to store, in the PHC string format. Throws 503 `overloaded` when too many wait. */
  hash(password: string): Promise<string>;
  /**
   * Returns true when the hash matches this password. Null means the person is unknown or has no password: it takes the
   * same work (docs/design/quality.md T29) and is never true. Throws 503 `overloaded` when too many wait.
   */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Returns how many hashes were computed so far. */
  computed(): number;
}

/** The minimum of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. 45 ms of one processor. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Nobody's password: random bytes in place of a hash, at the cost above. */
const nobodys = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdCBvZiBub2JvZHkuLg$qP3B0yE1WmN8xTtVh4cJ5uZkL7sRf2aQ9oD6iGwXeYM';

/** Behind this many, the wait would be longer than callers have. */
const longestQueue = 64;

/**
 * Hashes outside of the event loop, on at most half of the processors, so that a rush of sign-ins takes neither
 * processors nor threads from decisions.
 */
export function createPasswords(atOnce = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  let computed = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= longestQueue) {
        throw new AppError('overloaded', {
          detail: 'Too many people are signing in at once. Try again in a moment.',
          retryAfterSeconds: 2,
        });
      }
      // A finished call passes its place to the next.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      computed += 1;
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) => inTurn(() => hash(normal(password), cost)),
    verify: (stored, password) =>
      inTurn(async () => {
        const isRight = await verify(stored ?? nobodys, normal(password));
        return stored !== null && isRight;
      }),
    computed: () => computed,
  };
}

/** Normalizes a password, however the keyboard composed its letters (NIST SP 800-63B, 3.1.1.2). */
const normal = (password: string): string => password.normalize('NFKC');
