import type { Clock } from '../../platform/time/clock.ts';

/** Counts refused credentials per address: 600 in a minute, then 429 instead of 401 (docs/design/api-access.md 17). */
export interface WrongCredentials {
  /** Counts one refusal. Null while under the limit, else the seconds after which another try is counted again. */
  count(address: string): number | null;
  /**
   * To be asked before a credential is looked up in the database. Null = look it up: always while the address is under
   * its limit, behind it 10 times a second. Else the seconds after which it may be tried again.
   */
  takeLookUp(address: string): number | null;
}

const refusals = { limit: 600, windowMs: 60_000 };
const lookUps = { limit: 10, windowMs: 1_000 };
/** Addresses kept at most; the one that was quiet longest is dropped first. */
const maximumAddresses = 2_000;

/** The instants of the newest events, in a ring. */
interface Window {
  readonly times: Float64Array;
  next: number;
  filled: number;
}

interface CallerAddress {
  readonly refused: Window;
  /** Made when the address first comes to its limit. */
  lookedUp: Window | null;
}

/**
 * In this process only: the limit slows guessing of 256-bit keys, so a sum over processes is not worth a database write
 * for each wrong call, which would hand the guesser a lever on the database.
 */
export function createWrongCredentials(clock: Clock): WrongCredentials {
  const addresses = new Map<string, CallerAddress>();
  return {
    count(name) {
      const address = addresses.get(name) ?? { refused: emptyWindow(refusals.limit), lookedUp: null };
      addresses.delete(name);
      addresses.set(name, address);
      if (addresses.size > maximumAddresses) addresses.delete(addresses.keys().next().value!);
      return secondsOf(take(address.refused, refusals, clock.now()));
    },
    takeLookUp(name) {
      const address = addresses.get(name);
      const now = clock.now();
      if (address === undefined || waitMs(address.refused, refusals, now) <= 0) return null;
      address.lookedUp ??= emptyWindow(lookUps.limit);
      return secondsOf(take(address.lookedUp, lookUps, now));
    },
  };
}

const emptyWindow = (limit: number): Window => ({ times: new Float64Array(limit), next: 0, filled: 0 });

/** Milliseconds until the window has room; 0 or less: it has. */
function waitMs(window: Window, { limit, windowMs }: { limit: number; windowMs: number }, now: number): number {
  return window.filled < limit ? 0 : window.times[window.next]! + windowMs - now;
}

/** Notes one event when there is room for it; the milliseconds until there is, else. */
function take(window: Window, rule: { limit: number; windowMs: number }, now: number): number {
  const wait = waitMs(window, rule, now);
  if (wait > 0) return wait;
  window.times[window.next] = now;
  window.next = (window.next + 1) % rule.limit;
  window.filled = Math.min(rule.limit, window.filled + 1);
  return 0;
}

const secondsOf = (wait: number): number | null => (wait <= 0 ? null : Math.ceil(wait / 1000));
