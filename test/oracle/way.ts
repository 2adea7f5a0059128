import type { FlowConfig, FlowNode } from '@arbiter/engine';
import { factsOf, type Work } from './candidate.ts';
import { holds } from './conditions.ts';
import { isRow, type Row } from './world.ts';

/** A node that runs, where conditionals and calls have led (docs/design/api-decisioning.md 8, docs/adr/0033). */
export interface Step {
  /** A node type, or `drop` (all normal candidates leave, for `reason`), or `list` (another flow's own list). */
  readonly type: string;
  readonly id: string;
  readonly config: Row;
  readonly phase: number;
  /** True: in a called flow. */
  readonly isCalled: boolean;
  readonly flowKey: string;
  readonly reason?: string;
  readonly mode?: string;
  /** Steps that run on the list of a `list` step. */
  readonly steps?: readonly Step[];
}

export interface Way {
  readonly steps: readonly Step[];
  /** Flows that were called and ran, each once, in order. */
  readonly ran: readonly string[];
}

const ownPhase: Readonly<Record<string, number>> = {
  inventory: 1,
  match_creatives: 1,
  enrich: 1,
  qualify: 1,
  contact_policy: 1,
  filter: 1,
  conditional: 1,
  score: 2,
  optimize: 2,
  rank: 2,
  group: 2,
  compute: 3,
  set_properties: 3,
  response: 3,
};

/** Maximum depth of nested calls. */
const deepest = 5;

interface Scout {
  readonly work: Work;
  customer: Work['customer'];
  readonly ran: string[];
}

/** Returns what runs for this request. */
export function wayOf(work: Work): Way {
  const scout: Scout = { work, customer: work.customer, ran: [] };
  const { key, config } = work.snapshot.flow;
  const steps = stepsOf(scout, { key, config }, { upTo: 3, chain: [key], prefix: '', isNarrow: false });
  return { steps, ran: scout.ran };
}

interface Called {
  /** Phase of the call; 3: the flow itself, or a call in phase 3. */
  readonly upTo: number;
  /** Keys of the flows under way, the first one first. */
  readonly chain: readonly string[];
  readonly prefix: string;
  /** Only its nodes, without its list. */
  readonly isNarrow: boolean;
}

function stepsOf(
  scout: Scout,
  { key, config }: { readonly key: string; readonly config: FlowConfig },
  { upTo, chain, prefix, isNarrow }: Called,
): Step[] {
  const isCalled = chain.length > 1;
  const nodes = phased(config.nodes.filter(({ enabled }) => enabled !== false));
  const steps: Step[] = [];
  const push = (node: FlowNode, phase: number): void => {
    const step = { type: node.type, id: prefix + node.id, config: node.config ?? {}, phase, isCalled, flowKey: key };
    if (node.type === 'enrich') scout.customer = enriched(scout.work, scout.customer, step);
    steps.push(step);
  };
  const drop = (reason: string, id: string, phase: number): void =>
    void steps.push({ type: 'drop', id, config: {}, phase, isCalled, flowKey: key, reason });
  const call = (id: string, flowKey: string, mode: string, phase: number): void => {
    const flow = scout.work.snapshot.subFlows?.find((each) => each.key === flowKey || each.id === flowKey);
    if (flow === undefined || chain.includes(flow.key) || chain.length > deepest) {
      drop('sub_flow_unavailable', id, phase);
      return;
    }
    if (!scout.ran.includes(flow.key)) scout.ran.push(flow.key);
    const called = {
      upTo: phase,
      chain: [...chain, flow.key],
      prefix: `${prefix}${id}/`,
      isNarrow: mode === 'narrow' || phase === 3,
    };
    const inner = stepsOf(scout, flow, called);
    if (called.isNarrow) steps.push(...inner.map((step) => ({ ...step, phase })));
    else steps.push({ type: 'list', id, config: {}, phase, isCalled, flowKey: key, mode, steps: inner });
  };
  const hasScore = nodes.some(({ node }) => node.type === 'score');
  let isHead = true;
  let next: string | null = null;
  for (const { node, phase } of nodes) {
    if (phase >= 2 && isHead) {
      isHead = false;
      if (!hasScore && upTo >= 2 && !(isNarrow && upTo === 3)) headScore();
    }
    if (next !== null && node.id !== next) continue;
    next = null;
    const isHere = isNarrow && upTo === 3 ? phase === 3 : phase <= upTo;
    if (!isHere) continue;
    if (isNarrow && node.type === 'inventory') continue;
    if (isCalled && ['group', 'response'].includes(node.type)) continue;
    if (isCalled && node.type === 'extension_point' && node.config?.hook === 'post_rank') continue;
    if (node.type === 'call_flow') {
      call(node.id, String(node.config?.flowKey), String(node.config?.mode ?? 'narrow'), phase);
    } else if (node.type === 'conditional') {
      const action = branchOf(scout, node.config ?? {});
      if (action.action === 'skip_to') next = String(action.nodeId);
      if (action.action === 'drop_all') drop('conditional', prefix + node.id, phase);
      if (action.action === 'call_flow') call(`${node.id}.${action.branch}`, String(action.flowKey), 'narrow', phase);
    } else push(node, phase);
  }
  if (isHead && !hasScore && upTo >= 2 && !(isNarrow && upTo === 3)) headScore();
  return steps;

  /** `flowConfig.scoring` acts as a score node at the start of phase 2. */
  function headScore(): void {
    const scoring = config.flowConfig?.scoring;
    if (isRow(scoring)) push({ id: 'scoring', type: 'score', config: scoring }, 2);
  }
}

/** Calls and extension points take the phase of their position. */
function phased(nodes: readonly FlowNode[]): { node: FlowNode; phase: number }[] {
  let phase = 1;
  return nodes.map((node) => {
    phase = Math.max(phase, ownPhase[node.type] ?? phase);
    return { node, phase };
  });
}

function branchOf({ work, customer }: Scout, { conditions, combinator, onTrue, onFalse }: Row): Row {
  const list = (conditions ?? []) as readonly Row[];
  const facts = { ...factsOf(work, null), customer };
  const test = (condition: Row) => holds(condition, facts, work.now);
  const isTrue = list.length === 0 || (combinator === 'OR' ? list.some(test) : list.every(test));
  const action = isTrue ? onTrue : onFalse;
  return { ...(isRow(action) ? action : {}), branch: isTrue ? 'onTrue' : 'onFalse' };
}

/** The customer with the rows of an enrich node; later sources win. */
export function enriched(work: Work, customer: Work['customer'], { id, config }: Pick<Step, 'id' | 'config'>) {
  const values: Record<string, unknown> = { ...customer };
  const sources = (config.sources ?? []) as readonly Row[];
  sources.forEach((source, position) => {
    const row = work.input.enriched[id]?.[position];
    if (!isRow(row)) return;
    for (const [name, value] of Object.entries(row)) values[`${source.prefix ?? ''}${name}`] = value;
  });
  return values;
}
