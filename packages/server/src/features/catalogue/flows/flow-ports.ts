import type { PolicyFinding } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { createOutboundRules, type OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import type { RunnableFlow } from './flow-directory.ts';

/** What flows need from the process. */
export interface FlowPorts {
  /** Seals header values of extension points; null: no DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly outboundRules: OutboundRules;
}

/** Returns what never works in a flow with the catalogue; null when looking takes too long. */
export type FindFlowConflicts = (tx: Tx, flow: RunnableFlow) => Promise<PolicyFinding[] | null>;

/** Returns the tests of a flow that it doesn't pass, and the number of tests that there was no time for. */
export type FindFailedTests = (
  tx: Tx,
  flow: RunnableFlow,
) => Promise<{
  readonly failed: readonly { readonly name: string; readonly message: string }[];
  readonly left: number;
}>;

/** For callers whose flows hide nothing, such as packs. */
export const withoutSecrets: FlowPorts = { envelope: null, outboundRules: createOutboundRules({}) };
