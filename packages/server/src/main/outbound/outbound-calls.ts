import type { GoogleProvider } from '../../features/identity/google/index.ts';
import { createOidcClient } from '../../platform/oidc.ts';
import { createOutbound, type Outbound } from '../../platform/outbound/outbound.ts';
import { createOutboundRules } from '../../platform/outbound/outbound-rules.ts';
import { createOutboundSockets, type OutboundSockets } from '../../platform/outbound/outbound-sockets.ts';
import type { ComposeConfig } from '../compose-options.ts';
import { googleProvider } from './google.ts';

/** Clients for calls to other servers. */
export interface OutboundCalls {
  /** For addresses that tenants configure. */
  readonly outbound: Outbound;
  readonly sockets: OutboundSockets;
  readonly outboundRules: ReturnType<typeof createOutboundRules>;
  readonly oidc: ReturnType<typeof createOidcClient>;
  readonly google: GoogleProvider | null;
  close(): Promise<void>;
}

/** Creates the clients. */
export function createOutboundCalls(config: ComposeConfig): OutboundCalls {
  const rules = { allowNetworks: config.OUTBOUND_ALLOW_CIDRS, allowHttp: config.OUTBOUND_HTTP_OK };
  const outbound = createOutbound(rules);
  // The operator's own address, and those that it names: the rules for tenants' addresses do not apply.
  const operatorsOutbound = createOutbound({ allowNetworks: ['0.0.0.0/0', '::/0'], allowHttp: true });
  return {
    outbound,
    sockets: createOutboundSockets(rules),
    outboundRules: createOutboundRules(rules),
    oidc: createOidcClient(outbound, { allowHttp: config.OUTBOUND_HTTP_OK }),
    google: googleProvider(config, operatorsOutbound),
    async close() {
      await outbound.close();
      await operatorsOutbound.close();
    },
  };
}
