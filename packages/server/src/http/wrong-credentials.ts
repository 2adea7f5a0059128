import type { Clock } from '../platform/clock.ts';

/** Counts refused credentials per address: 600 in a minute, then 429 instead of 401 (api-access.md 17). */
export interface WrongCredentials {
  /** Counts one refusal. Null while under the limit, else the seconds after which another try is counted again. */
  count(address: string): number | null;
}

const limit = 600;
const windowMs = 60_000;
/** Addresses kept at most; the one that was quiet longest is dropped first. */
const maximumAddresses = 2_000;

/**
 * In this process only: the limit slows guessing of 256-bit keys, so a sum over processes is not worth a database write
 * for each wrong call, which would hand the guesser a lever on the database.
 */
export function createWrongCredentials(clock: Clock): WrongCredentials {
  const windows = new Map<string, { readonly times: Float64Array; next: number; filled: number }>();
  return {
    count(address) {
      const now = clock.now();
      const window = windows.get(address) ?? { times: new Float64Array(limit), next: 0, filled: 0 };
      windows.delete(address);
      windows.set(address, window);
      if (windows.size > maximumAddresses) windows.delete(windows.keys().next().value!);
      const oldest = window.times[window.next]!;
      if (window.filled === limit && now - oldest < windowMs) return Math.ceil((oldest + windowMs - now) / 1000);
      window.times[window.next] = now;
      window.next = (window.next + 1) % limit;
      window.filled = Math.min(limit, window.filled + 1);
      return null;
    },
  };
}
