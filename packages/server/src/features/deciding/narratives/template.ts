import type { AgentNarrative, DecisionTrace, NarrativeMode } from '@arbiter/contract';
import { type Fact, type FactKind, type Sentence, shownName } from '../../operations/narration/index.ts';
import { gateDetail } from './facts/gate-details.ts';
import { blockedOffers } from './facts/gate-facts.ts';

/** Parts of a text, each a paragraph. */
const paragraphs: readonly (readonly FactKind[])[] = [
  ['decision', 'flow', 'funnel'],
  ['selected', 'component', 'model'],
  ['blocked', 'qualification', 'policy', 'suppression', 'coupling'],
];
const reasonKinds: ReadonlySet<FactKind> = new Set(['selected', 'component', 'model', 'mandatory', 'experiment']);
const caveatKinds: ReadonlySet<FactKind> = new Set([
  'control_group',
  'degraded',
  'coupling',
  'mandatory',
  'experiment',
]);
const maxReasons = 8;
const maxBlocked = 10;

/** What the template says: each fact, in its own words. */
export function templateSentences(mode: NarrativeMode, facts: readonly Fact[]): readonly Sentence[] {
  const hasOffers = facts.some(({ kind }) => kind === 'selected');
  const isForAgents = ({ kind }: Fact) =>
    reasonKinds.has(kind) || caveatKinds.has(kind) || (kind === 'flow' && !hasOffers);
  const stated = mode === 'agent' ? facts.filter(isForAgents) : facts;
  return stated.map(({ id, text }) => ({ text, facts: [id] }));
}

/** Returns the sentences as prose, with a paragraph for each part. */
export function proseOf(mode: NarrativeMode, facts: readonly Fact[], sentences: readonly Sentence[]): string {
  if (mode === 'customer') return sentences.map(({ text }) => text.trim()).join(' ');
  const kinds = new Map(facts.map(({ id, kind }) => [id, kind]));
  let prose = '';
  let last = -1;
  for (const { text, facts: ids } of sentences) {
    const kind = kinds.get(ids[0] ?? '');
    const found = paragraphs.findIndex((part) => kind !== undefined && part.includes(kind));
    // What is special, and what isn't stored, come last.
    const part = found === -1 || found < last ? paragraphs.length : found;
    prose += `${prose === '' ? '' : part === last ? ' ' : '\n\n'}${text.trim()}`;
    last = part;
  }
  return prose;
}

/** Returns the sentences as an agent's console reads them. Everything else comes from the trace. */
export function agentNarrative(
  trace: DecisionTrace,
  facts: readonly Fact[],
  sentences: readonly Sentence[],
): AgentNarrative {
  const kinds = new Map(facts.map(({ id, kind }) => [id, kind]));
  const texts = sentences.flatMap(({ text, facts: [factId] }) => {
    const code = kinds.get(factId ?? '');
    return factId === undefined || code === undefined ? [] : [{ factId, code, text: text.trim() }];
  });
  const [first] = trace.selectedOffers;
  return {
    schema: 'arbiter.narrative.1',
    decisionId: trace.recommendationId,
    decidedAt: trace.createdAt,
    flow: { key: trace.decisionFlowKey, version: trace.decisionFlowVersion },
    outcome: {
      count: trace.result.count,
      top:
        first === undefined
          ? null
          : {
              offerId: first.offerId,
              offerName: first.offerName === null ? null : shownName(first.offerName),
              score: first.score,
            },
    },
    reasons: texts.filter(({ code }) => reasonKinds.has(code) && !caveatKinds.has(code)).slice(0, maxReasons),
    blocked: blockedOffers(trace)
      .slice(0, maxBlocked)
      .map(({ row, gate, kind }) => ({
        offerId: row.offerId,
        offerName: shownName(row.offerName),
        gate: kind,
        id: gate?.id ?? null,
        reason: gateDetail(row) ?? row.reason,
      })),
    // Without an offer, that is what the agent has to know.
    caveats: texts
      .filter(({ code }) => caveatKinds.has(code) || (first === undefined && code === 'flow'))
      .map(({ factId, text }) => ({ factId, text })),
  };
}
