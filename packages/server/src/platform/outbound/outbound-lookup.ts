import { lookup as resolveName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { OutboundError } from './outbound-error.ts';

/** Resolves all addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export const resolveAll: ResolveName = async (name) =>
  (await resolveName(name, { all: true, verbatim: true })).map(({ address }) => address);

/** A `lookup` for sockets: one forbidden address among those of the name forbids the name. */
export function guardedLookup(resolve: ResolveName, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, lookupOptions, callback) => {
    resolve(name).then(
      (addresses) => {
        const first = addresses[0];
        if (first === undefined) return callback(new OutboundError('unresolved'), '', 0);
        if (!addresses.every(isAllowed)) return callback(new OutboundError('forbidden_address'), '', 0);
        if (lookupOptions.all === true) {
          return callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        }
        callback(null, first, isIP(first));
      },
      (error: unknown) => callback(new OutboundError('unresolved', error), '', 0),
    );
  };
}
