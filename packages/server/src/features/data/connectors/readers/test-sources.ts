import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ConnectorType } from '@arbiter/contract';
import { testDrivers } from '../../../../main/sources/test-drivers.ts';
import { createOutbound } from '../../../../platform/outbound/outbound.ts';
import { createOutboundSockets } from '../../../../platform/outbound/outbound-sockets.ts';
import { createAwsRoles } from '../../../../platform/sources/aws-roles.ts';
import type { SourceReader } from '../reader.ts';
import type { SourceDeps } from '../source.ts';
import { createSources, type SourceOfConnector, type Sources } from '../sources.ts';
import { methodOf } from '../type-list.rules.ts';

/** Sources that may reach this machine. */
export function createTestSources(deps: Partial<SourceDeps> = {}): Sources & { close(): Promise<void> } {
  const allowNetworks = ['127.0.0.0/8'];
  const outbound = createOutbound({ allowNetworks, allowHttp: true });
  const sources = createSources({
    ...{ outbound, sockets: createOutboundSockets({ allowNetworks }), importFolder: null, endpoints: {} },
    ...{ drivers: testDrivers, awsRoles: createAwsRoles({ roles: {} }) },
    ...deps,
  });
  return { ...sources, close: () => outbound.close() };
}

let counter = 0;

/** A connector with these settings, whose breaker no other test touches. */
export const sourceOf = (type: ConnectorType, config: Readonly<Record<string, unknown>>): SourceOfConnector => ({
  ...{ tenantId: 'tenant', id: String(++counter), type, method: methodOf(type, 'access_key'), config },
});

export const openerOf = (sources: Sources, source: SourceOfConnector) => ({
  open: async (): Promise<SourceReader> => sources.open(source),
});

/** A server that accepts connections and says nothing. */
export async function startSilentServer(): Promise<{ readonly port: number; close(): void }> {
  const held = new Set<Socket>();
  const server = createServer((socket) => {
    held.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      for (const socket of held) socket.destroy();
      server.close();
    },
  };
}
