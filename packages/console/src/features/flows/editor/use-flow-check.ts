import { categoryOperations } from '@arbiter/contract/catalogue/categories';
import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { checkFlow, type FlowFinding } from '../../../engine-worker/flow.ts';
import type { ConfigNode, FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';

/** Milliseconds without changes before the engine checks a draft here, and before the server does. */
const hereMs = 120;
const serverMs = 700;

/** Problems that only the server can find: they depend on records. */
const ofServer = new Set([
  'unknown_reference',
  'sub_flow_unpublished',
  'model_not_usable',
  'cycle_in_call_flow',
  'call_depth',
  'secret_missing',
  'bandit_needs_propensity',
]);

interface Checked {
  readonly config: FlowConfig;
  readonly findings: readonly FlowFinding[];
}

export interface FlowCheck {
  /** Errors, then warnings. */
  readonly findings: readonly FlowFinding[];
  /** True once the server has confirmed the shown findings. */
  readonly isConfirmed: boolean;
  /** Keys of custom fields, which formulas may name. */
  readonly customFields: readonly string[];
}

const none: readonly string[] = [];

/** Checks a draft while it's edited: first with the engine in this browser, then on the server. */
export function useFlowCheck(flowId: string, config: FlowConfig): FlowCheck {
  const customFields = useCustomFieldKeys();
  const [here, setHere] = useState<Checked | null>(null);
  useEffect(() => {
    let isOver = false;
    const wait = setTimeout(async () => {
      const { findings } = await checkFlow({ config, customFields });
      if (!isOver) setHere({ config, findings });
    }, hereMs);
    return () => {
      isOver = true;
      clearTimeout(wait);
    };
  }, [config, customFields]);
  const rested = useRested(config, serverMs);
  const input = useMemo(() => ({ body: { id: flowId, draftConfig: rested } }), [flowId, rested]);
  const { data } = useOperation(decisionFlowOperations.validate, input);
  const byServer = useRef<Checked | null>(null);
  if (data !== undefined) {
    const findings = [
      ...data.errors.map((error) => ({ ...error, severity: 'error' as const })),
      ...data.warnings.map((warning) => ({ ...warning, severity: 'warning' as const })),
    ];
    byServer.current = { config: rested, findings };
  }
  const confirmed = byServer.current;
  const isConfirmed = confirmed !== null && confirmed.config === config;
  const findings = useMemo(() => {
    if (isConfirmed || here === null) return confirmed?.findings ?? [];
    return [...here.findings, ...stillTrue(confirmed, config)];
  }, [isConfirmed, here, confirmed, config]);
  return { findings, isConfirmed, customFields };
}

/** Returns the server's findings about nodes that haven't changed since. */
function stillTrue(confirmed: Checked | null, config: FlowConfig): readonly FlowFinding[] {
  if (confirmed === null) return [];
  const before = new Map(confirmed.config.nodes.map((node) => [node.id, node]));
  const now = new Map(config.nodes.map((node, at): [string, [ConfigNode, number]] => [node.id, [node, at]]));
  return confirmed.findings.flatMap((finding) => {
    const [node, at] = now.get(finding.nodeId ?? '') ?? [];
    if (node === undefined || !ofServer.has(finding.code) || before.get(node.id) !== node) return [];
    return [{ ...finding, path: finding.path.replace(/^\/nodes\/\d+/, `/nodes/${at}`) }];
  });
}

/** Returns a value once it hasn't changed for a while. */
export function useRested<Value>(value: Value, ms: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const wait = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(wait);
  }, [value, ms]);
  return rested;
}

function useCustomFieldKeys(): readonly string[] {
  const { data } = useOperation(categoryOperations.list, { query: { limit: 200 } });
  return useMemo(
    () =>
      data === undefined
        ? none
        : [...new Set(data.data.flatMap(({ customFields }) => customFields.map(({ key }) => key)))],
    [data],
  );
}
