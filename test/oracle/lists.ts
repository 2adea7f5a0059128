import type { Json, SnapshotPolicy } from '@arbiter/engine';
import { type Candidate, inOrder, isIn, type Work } from './candidate.ts';
import {
  askPolicies,
  candidatesFor,
  filter,
  filterStage,
  isForced,
  isIncluded,
  matchCreatives,
  policyStage,
  qualify,
  suppress,
} from './gates.ts';
import { overrideScores, preScore } from './hooks.ts';
import { drawBandits, isBandit } from './models.ts';
import { optimize } from './objectives.ts';
import { firstRanked } from './ranking.ts';
import { scoreAll, scoringOf } from './scores.ts';
import { enriched, type Step } from './way.ts';
import { isRow, type Row } from './world.ts';

/** Runs the nodes of one flow on its own list, up to the answer. Tells every candidate that it ever had. */
export interface Listed {
  /** The list, with those that left it. */
  readonly candidates: readonly Candidate[];
  /** Candidates of lists that another list replaced, or that were there already. */
  readonly others: readonly Candidate[];
}

export function runList(work: Work, steps: readonly Step[], isOwn: boolean): Listed {
  const matching = steps.find(({ type, phase }) => type === 'match_creatives' && phase === 1)?.config ?? {};
  const inventory = steps.find(({ type }) => type === 'inventory')?.config ?? {};
  const { offers } = work.snapshot;
  const forced = isOwn ? offers.filter((offer) => isForced(work, offer)) : [];
  const normal = offers.filter((offer) => !isForced(work, offer) && isIncluded(work, inventory, offer));
  const byPriority = [...forced].sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
  const others: Candidate[] = [];
  let list = [
    ...byPriority.flatMap((offer) => candidatesFor(work, offer, true, matching)),
    ...normal.flatMap((offer) => candidatesFor(work, offer, false, matching)),
  ];
  const inFilters = steps.filter(({ type }) => type === 'filter').flatMap(({ config }) => filterStage(work, config));
  const policyStages = new Set<readonly SnapshotPolicy[]>();
  const leave = (reason: string): void => {
    for (const candidate of list) if (!candidate.mandatory) candidate.reasons.add(reason);
  };
  const alive = () => list.filter((candidate) => isIn(candidate) && !candidate.mandatory);
  const ask = (config: Row): void => {
    const stage = policyStage(work, config, inFilters);
    policyStages.add(stage);
    for (const candidate of list) askPolicies(work, candidate, stage);
  };
  const ran = (type: string): boolean => steps.some((step) => step.type === type && step.phase === 1);

  const run = (step: Step): void => {
    const { type, id, config } = step;
    switch (type) {
      case 'enrich':
        work.customer = enriched(work, work.customer, step);
        if (config.onMissing === 'drop_all' && (work.input.enriched[id] ?? [null]).some((row) => row === null))
          leave('enrich');
        return;
      case 'match_creatives':
        for (const candidate of list) matchCreatives(work, candidate, config, config.requireCreative !== false);
        return;
      case 'qualify':
        for (const candidate of list) qualify(work, candidate, config);
        return;
      case 'filter': {
        for (const candidate of list) filter(work, candidate, config);
        const stage = filterStage(work, config);
        for (const candidate of list) askPolicies(work, candidate, stage);
        return;
      }
      case 'contact_policy':
        ask(config);
        return;
      case 'drop':
        leave(step.reason!);
        return;
      case 'list':
        join(runList(work, step.steps!, false), step.mode!);
        return;
      case 'extension_point':
        if (config.hook === 'pre_score')
          preScore(
            work,
            step,
            list.filter(({ mandatory }) => !mandatory),
          );
        if (config.hook === 'score_override') overrideScores(work, step, alive());
        return;
      case 'score':
        drawBandits(
          work,
          list.filter(isIn).map(({ offer }) => offer.id),
        );
        scoreAll(
          work,
          { config, flowKey: step.flowKey, nodeId: id },
          alive(),
          step.isCalled ? [] : list.filter(({ mandatory }) => mandatory),
        );
        return;
      case 'optimize':
        if (!work.isHoldout) optimize(work, config, alive());
        return;
      case 'rank':
        if (step.isCalled) cut(step);
        return;
    }
  };

  function join(called: Listed, mode: string): void {
    others.push(...called.others);
    if (mode === 'replace') {
      leave('call_flow');
      others.push(...list.filter(({ mandatory }) => !mandatory));
      list = [...list.filter(({ mandatory }) => mandatory), ...called.candidates];
      return;
    }
    const present = new Set(alive().map(({ offer }) => offer.id));
    for (const candidate of called.candidates) {
      const isThere = present.has(candidate.offer.id);
      if (isThere) candidate.reasons.add('call_flow');
      (isThere ? others : list).push(candidate);
    }
  }

  function cut({ config }: Step): void {
    const candidates = inOrder(alive());
    const kept = firstRanked(work, config, candidates);
    for (const candidate of candidates) if (!kept.includes(candidate)) candidate.reasons.add('cut');
  }

  if (gatesAskBandits(work))
    drawBandits(
      work,
      list.filter(isIn).map(({ offer }) => offer.id),
    );
  for (const step of steps) if (step.phase === 1) run(step);
  if (!ran('match_creatives')) for (const candidate of list) matchCreatives(work, candidate, {}, false);
  if (!ran('qualify')) for (const candidate of list) qualify(work, candidate, {});
  if (!ran('contact_policy')) ask({});
  for (const candidate of list) suppress(work, candidate, policyStages);
  for (const step of steps) if (step.phase === 2) run(step);
  return { candidates: list, others };
}

/** Whether a gate, or the flow's score with bandits, uses a bandit: then all draws happen before the first gate. */
export function gatesAskBandits(work: Work): boolean {
  const { rules, offers } = work.snapshot;
  const isDrawn = (name: unknown): boolean => typeof name === 'string' && isBandit(work, name);
  const thresholds = rules
    .filter(({ ruleType }) => ruleType === 'propensity_threshold')
    .map(({ config: { modelKey, model } }) => modelKey ?? model ?? null);
  if (thresholds.some(isDrawn)) return true;
  const asksFlow =
    thresholds.includes(null) || offers.some(({ eligibility }) => typeof eligibility?.propensityThreshold === 'number');
  return asksFlow && modelNames(scoringOf(work).config).some(isDrawn);
}

/** Returns every model key in a score node. */
function modelNames({ modelKey, overrides, championChallenger: own }: Row): Json[] {
  const rows = Array.isArray(overrides) ? overrides : [];
  const champions =
    isRow(own) && own.enabled === true && Array.isArray(own.challengers)
      ? [own.champion ?? null, ...own.challengers]
      : [];
  return [modelKey ?? null, ...[...rows, ...champions].filter(isRow).map((row) => row.modelKey ?? null)];
}
