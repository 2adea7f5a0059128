import { connect, isIP, type Socket } from 'node:net';
import { mayReach, parseNetworks } from './outbound-addresses.ts';
import { OutboundError } from './outbound-error.ts';
import { guardedLookup, type ResolveName, resolveAll } from './outbound-lookup.ts';
import { mayUsePort, type OutboundProtocol } from './outbound-ports.ts';

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly protocol: OutboundProtocol;
}

/** TCP to addresses that a tenant chose. */
export interface OutboundSockets {
  /**
   * Connects, for drivers that take a socket. Judges the port and every address of the host, and connects to a judged
   * one. Throws OutboundError.
   */
  connect(target: SocketTarget, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<Socket>;
}

export function createOutboundSockets(options: {
  /** Private networks that may be reached (OUTBOUND_ALLOW_CIDRS). */
  readonly allowNetworks?: readonly string[];
  readonly resolve?: ResolveName;
}): OutboundSockets {
  const allowed = parseNetworks(options.allowNetworks ?? []);
  const isAllowed = (address: string) => mayReach(address, allowed);
  const lookup = guardedLookup(options.resolve ?? resolveAll, isAllowed);
  return {
    connect({ host, port, protocol }, { timeoutMs, signal }) {
      const literal = host.replace(/^\[(.*)\]$/, '$1');
      return new Promise((resolve, reject) => {
        if (!mayUsePort(protocol, port)) return reject(new OutboundError('forbidden_port'));
        if (isIP(literal) !== 0 && !isAllowed(literal)) return reject(new OutboundError('forbidden_address'));
        const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        const socket = connect({ host: literal, port, lookup });
        const leave = () => socket.destroy(new OutboundError('timeout'));
        end.addEventListener('abort', leave, { once: true });
        socket.once('connect', () => {
          end.removeEventListener('abort', leave);
          socket.removeListener('error', fail);
          resolve(socket);
        });
        const fail = (error: Error) => {
          end.removeEventListener('abort', leave);
          reject(error instanceof OutboundError ? error : new OutboundError('failed', error));
        };
        socket.once('error', fail);
        if (end.aborted) leave();
      });
    },
  };
}
