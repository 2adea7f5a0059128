import type {
  FormulaWeights,
  OverlayChange,
  RecommendRequest,
  SimulateRequest,
  SimulationOverrides,
} from '@arbiter/contract';
import type { FlowConfig, FlowNode, Json, SnapshotFlow } from '@arbiter/engine';
import { invalid } from '../../../platform/app-error.ts';

/** The requested flow. */
export interface WantedFlow {
  /** Key or id; null for the one that the request would get. */
  readonly flow: string | null;
  readonly version: 'published' | 'draft' | number;
  /** A config that is stored nowhere; null: that of the version. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly formula: FormulaWeights | null;
  /** Path of `formula` in the body. */
  readonly formulaPath: string;
  readonly overrides: SimulationOverrides;
  readonly overlay: readonly OverlayChange[];
}

/** Determined by the recorded decision. */
const besideRecord = [
  'decisionFlowKey',
  'flowId',
  'version',
  'draftConfig',
  'overrides',
  'overlay',
  'now',
  'channel',
  'channelId',
  'placement',
  'placements',
  'context',
  'formulaOverride',
] as const;

/**
 * Returns the subject of a simulation. Throws 400 for a body with both or neither, or with properties that don't apply
 * to it.
 */
export function readSubject({ customerId, segmentId, ...body }: SimulateRequest): 'customer' | 'segment' {
  if ((customerId === undefined) === (segmentId === undefined)) {
    throw invalid('/customerId', 'exactly one of customerId and segmentId is required');
  }
  if (body.draftConfig !== undefined && body.version !== undefined) {
    throw invalid('/draftConfig', "can't be combined with version");
  }
  if (body.overlay !== undefined && body.overrides !== undefined) {
    throw invalid('/overlay', "can't be combined with overrides");
  }
  if (segmentId !== undefined) {
    for (const name of ['profile', 'decisionId'] as const) {
      if (body[name] !== undefined) throw invalid(`/${name}`, 'is only allowed with customerId');
    }
    return 'segment';
  }
  if (body.decisionId !== undefined) {
    const other = besideRecord.find((name) => body[name] != null);
    if (other !== undefined)
      throw invalid(`/${other}`, "can't be combined with decisionId, because the record determines it");
  }
  for (const name of ['sampleSize', 'compare', 'async', 'nodeCounts'] as const) {
    if (body[name] != null && body[name] !== false) throw invalid(`/${name}`, 'is only allowed with segmentId');
  }
  return 'customer';
}

/** The flow that the body asks for. */
export const wantedFlow = (body: SimulateRequest): WantedFlow => ({
  flow: body.decisionFlowKey ?? body.flowId ?? null,
  version: body.version ?? 'published',
  config: body.draftConfig ?? null,
  formula: body.formulaOverride ?? null,
  formulaPath: '/formulaOverride',
  overrides: body.overrides ?? {},
  overlay: body.overlay ?? [],
});

/** Returns the flow to compare with: the same one as published, unless the body says otherwise. */
export function wantedCompare(body: SimulateRequest): WantedFlow | null {
  const { compare } = body;
  if (compare == null) return null;
  return {
    flow: compare.decisionFlowKey ?? wantedFlow(body).flow,
    version: compare.version ?? 'published',
    config: null,
    formula: compare.formulaOverride ?? null,
    formulaPath: '/compare/formulaOverride',
    overrides: {},
    overlay: [],
  };
}

/** The part of the body that recommend accepts too. */
export type SharedBody = Pick<
  SimulateRequest,
  'channel' | 'channelId' | 'placement' | 'placements' | 'limit' | 'attributes' | 'segments' | 'context'
>;

/** Returns only that part. */
export function askedOf(body: SharedBody): SharedBody {
  const { attributes, segments, context } = body;
  return {
    channel: body.channel ?? null,
    channelId: body.channelId ?? null,
    placement: body.placement ?? null,
    placements: body.placements ?? null,
    limit: body.limit ?? null,
    ...(attributes === undefined ? {} : { attributes }),
    ...(segments === undefined ? {} : { segments }),
    ...(context === undefined ? {} : { context }),
  };
}

/** The recommend body of a customer; nothing of its decision is stored. */
export const recommendBody = (asked: SharedBody, customerId: string): RecommendRequest => ({
  ...askedOf(asked),
  customerId,
  dryRun: true,
  debug: true,
});

/**
 * Returns the flow with these exponents for every candidate, overriding profiles and overrides. Throws 400 for a flow
 * that never scores by formula, because the exponents would have no effect.
 */
export function withFormula(flow: SnapshotFlow, { formula, formulaPath }: WantedFlow): SnapshotFlow {
  if (formula === null) return flow;
  const { config } = flow;
  const place = config.nodes.findIndex(({ type, enabled }) => type === 'score' && enabled !== false);
  const scoring = place >= 0 ? (config.nodes[place]?.config ?? {}) : asObject(config.flowConfig?.scoring);
  if (!usesFormula(scoring)) throw invalid(formulaPath, 'requires a flow with the score method formula');
  return { ...flow, config: withScoring(config, place, reweighted(scoring, formula)) };
}

type Scoring = { readonly [key: string]: Json };

function usesFormula(scoring: Scoring): boolean {
  const { overrides } = scoring;
  if (scoring.method === 'formula') return true;
  return Array.isArray(overrides) && overrides.some((entry) => asObject(entry).method === 'formula');
}

function reweighted(scoring: Scoring, formula: FormulaWeights): Scoring {
  const { strategyProfileId: _profile, strategyOverrides: _strategies, overrides, ...rest } = scoring;
  const withoutOwn = (entry: Json): Json => {
    const { formula: _formula, ...kept } = asObject(entry);
    return kept;
  };
  return {
    ...rest,
    ...(Array.isArray(overrides) ? { overrides: overrides.map(withoutOwn) } : {}),
    formula: { ...formula },
  };
}

function withScoring(config: FlowConfig, place: number, scoring: Scoring): FlowConfig {
  if (place < 0) return { ...config, flowConfig: { ...config.flowConfig, scoring } };
  const nodes = config.nodes.map((node, at): FlowNode => (at === place ? { ...node, config: scoring } : node));
  return { ...config, nodes };
}

function asObject(value: Json | undefined): Scoring {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Scoring) : {};
}
