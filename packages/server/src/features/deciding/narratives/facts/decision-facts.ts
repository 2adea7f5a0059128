import type { DecisionRecord, DecisionTrace } from '@arbiter/contract';
import { type FactDraft, quoted } from '../../../operations/narration/index.ts';
import { counted, figure, instant, listed } from './say.ts';

/** What made decisions besides requests. */
const sources: Readonly<Record<string, string>> = {
  campaign: 'a campaign',
  journey: 'a journey',
  trigger: 'a trigger',
};

/** Returns what was decided: ids, time, flow and version. */
export function decisionFacts(trace: DecisionTrace): readonly FactDraft[] {
  const { recommendationId, requestId, createdAt, configVersion, source, channel, result } = trace;
  const { decisionFlowId, decisionFlowKey, decisionFlowVersion } = trace;
  const request = requestId === recommendationId ? '' : `, for the request ${requestId},`;
  const caller = sources[source];
  const by = caller === undefined ? '' : `by ${caller} `;
  const version = decisionFlowVersion === null ? 'The draft' : `Version ${figure(decisionFlowVersion)}`;
  const outcome = result.count === 0 ? 'no offer' : counted(result.count, 'offer');
  const where = channel === null ? '' : ` for the channel ${quoted(channel)}`;
  return [
    {
      kind: 'decision',
      subject: { type: 'decision', id: recommendationId, name: null },
      value: { recommendationId, requestId, traceId: trace.id, decidedAt: createdAt, configVersion, source },
      text: `Decision ${recommendationId}${request} was made on ${instant(createdAt)} ${by}with catalogue version ${figure(configVersion)}.`,
    },
    {
      kind: 'flow',
      subject: { type: 'decision', id: recommendationId, name: null },
      value: { flowId: decisionFlowId, key: decisionFlowKey, version: decisionFlowVersion, count: result.count },
      text: `${version} of the flow ${quoted(decisionFlowKey)} selected ${outcome}${where}.`,
    },
  ];
}

/** Returns what the trace and the record leave out. */
export function storageFacts(trace: DecisionTrace, record: DecisionRecord | null): readonly FactDraft[] {
  return [
    {
      kind: 'decision',
      subject: { type: 'decision', id: trace.recommendationId, name: null },
      value: { inputsState: record?.inputsState ?? 'deleted', withheld: record?.withheld ?? [] },
      text: storageText(record),
    },
  ];
}

/** Names of attributes that a sentence lists. */
const maxListed = 5;

function storageText(record: DecisionRecord | null): string {
  if (record === null)
    return 'The sealed record of this decision is no longer stored; the trace holds what is stated here.';
  const { withheld } = record;
  if (withheld.length === 0) {
    return 'The sealed record holds every input of this decision; the trace holds only the attributes that gates compared.';
  }
  const names = withheld.slice(0, maxListed).map(quoted);
  const others = withheld.length - names.length;
  const all = others > 0 ? [...names, `${figure(others)} more`] : names;
  return `The sealed record leaves out inputs that are never stored: ${listed(all)}.`;
}
