import type { DecisionTrace, TraceStage } from '@arbiter/contract';
import { type FactDraft, quoted } from '../../../operations/narration/index.ts';
import { counted, figure } from './say.ts';

const stages: Readonly<Record<string, string>> = {
  inventory: 'The inventory',
  match_creatives: 'Creative matching',
  enrich: 'Enrichment',
  qualify: 'Qualification',
  suppression: 'The check of suppressions',
  contact_policy: 'The check of contact policies',
  filter: 'A filter',
  conditional: 'A branch',
  score: 'The minimum score',
  optimize: 'The objectives',
  rank: 'Ranking',
  group: 'The assignment to placements',
  mandatory: 'The check of mandatory offers',
  admission: 'The final check of limits',
  coupling: 'Coupling',
  extension_point: 'A webhook',
  response: 'The response',
};

/** Stages that a narrative names. */
const maxNamed = 10;

/** Returns how many offers each stage left, for the stages that dropped some. */
export function funnelFacts({ pipeline, summary }: DecisionTrace): readonly FactDraft[] {
  const entered = Math.max(
    pipeline.find(({ stage }) => stage === 'inventory')?.candidates ?? 0,
    summary.candidateCount,
  );
  const dropping = pipeline.filter(({ candidates, passed }) => passed < candidates);
  const entry = `${counted(entered, 'offer')} entered the flow`;
  const facts: FactDraft[] = [
    {
      kind: 'funnel',
      subject: null,
      value: { entered },
      text: dropping.length === 0 ? `${entry}, and every stage passed all of them.` : `${entry}.`,
    },
  ];
  return [...facts, ...dropping.slice(0, maxNamed).map(stageFact)];
}

function stageFact({ stage, nodeId, candidates, passed, dropped }: TraceStage): FactDraft {
  const name = stages[stage.slice(stage.lastIndexOf('/') + 1)] ?? `The stage ${quoted(stage)}`;
  const inside = stage.startsWith('call_flow:') ? ' in a called flow' : '';
  const left = passed === 0 ? 'left none' : `left ${figure(passed)}`;
  return {
    kind: 'funnel',
    subject: { type: 'stage', id: nodeId ?? stage, name: null },
    value: { stage, nodeId, candidates, passed, dropped },
    text: `${name}${inside} dropped ${figure(candidates - passed)} and ${left}.`,
  };
}
