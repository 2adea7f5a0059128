import type { Decision, Snapshot } from '@arbiter/engine';
import type { Expected } from './oracle.ts';

/** Returns what a world covers, so that agreement about nothing doesn't count. */
export function reached({ flow, offers }: Snapshot, decision: Decision, wanted: Expected): string[] {
  const trace = decision.trace!;
  const node = (type: string) => flow.config.nodes.find((each) => each.type === type && each.enabled !== false);
  const found = new Set<string>();
  for (const { stage, skipped, method, candidates } of trace.pipeline) {
    if (skipped === true) found.add('skipped');
    if (candidates > 0) found.add(`stage ${stage.replace(/^call_flow:\w+\//, 'called ')}`);
    if (stage === 'group' && method !== null) found.add(`group ${method}`);
    if (stage === 'optimize' && method !== null && candidates > 0) found.add(`optimize ${method}`);
    if (stage === 'rank' && method !== null && candidates > 0) found.add(`rank ${method}`);
  }
  for (const { reason } of trace.dropped) found.add(`left: ${reason}`);
  for (const { propensitySource, modelType, selection, mandatory, personalization, placementId } of decision.items) {
    found.add(`P by ${propensitySource}`);
    if (propensitySource === 'model') found.add(`model ${modelType}`);
    if (selection.estimated) found.add('chance estimated');
    if (selection.explored) found.add('explored');
    if (mandatory) found.add('mandatory');
    if (personalization._errors !== undefined) found.add('compute errors');
    if (placementId !== null) found.add('placement');
  }
  for (const { key } of decision.subFlows ?? []) found.add(`called ${key}`);
  if (decision.variant !== null)
    found.add(decision.variant.fallback ? 'challenger falls back' : 'champion or challenger');
  if (decision.degradedScoring) found.add('degraded');
  if (decision.controlGroup) found.add('control group');
  if (decision.items.length === 0) found.add('empty answer');
  if (Object.keys(decision.properties).length > 0) found.add('properties');
  const scores = decision.items.filter(({ mandatory }) => !mandatory).map(({ score }) => score);
  if (new Set(scores).size < scores.length) found.add('equal scores');
  if (wanted.isTied) found.add('tied allocation');
  const hook = flow.config.nodes.filter(({ type }) => type === 'extension_point');
  for (const { config = {} } of hook) if (config.kind === 'formula') found.add(`formula ${config.hook}`);
  if (
    node('group') !== undefined &&
    offers.length > 0 &&
    decision.placementResults?.some(({ items }) => items.length === 0)
  )
    found.add('empty placement of a group');
  return [...found];
}
