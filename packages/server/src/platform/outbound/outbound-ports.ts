/**
 * Which ports an outbound call may reach (docs/design/quality.md T8, docs/design/api-catalogue.md 20). Ports below 1024
 * belong to system services, such as mail and file servers, that a tenant could otherwise talk to. Of those, only the
 * ports of the protocol in use are open. From 1024 on, every port is.
 */

/** Protocols that calls speak, with the ports below 1024 that belong to them. */
const ownPorts = {
  http: [80],
  https: [443],
  sftp: [22],
  /** Databases, brokers and search engines: their own ports are all above 1023. */
  tcp: [],
} as const satisfies Record<string, readonly number[]>;

export type OutboundProtocol = keyof typeof ownPorts;

const firstFreePort = 1024;
const lastPort = 65_535;

/** True when a call that speaks the protocol may connect to the port. */
export function mayUsePort(protocol: OutboundProtocol, port: number): boolean {
  if (!Number.isInteger(port) || port > lastPort) return false;
  const own: readonly number[] = ownPorts[protocol];
  return port >= firstFreePort || own.includes(port);
}
