import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { createOutboundRules, type OutboundRules } from '../../../platform/outbound/outbound-rules.ts';

/** What flows need from the process. */
export interface FlowPorts {
  /** Seals header values of extension points; null: no DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly outboundRules: OutboundRules;
}

/** For callers whose flows hide nothing, such as packs. */
export const withoutSecrets: FlowPorts = { envelope: null, outboundRules: createOutboundRules({}) };
