import { readIds, readWord } from '../config-values.ts';
import {
  ASK,
  fixedChoices,
  type MatchSettings,
  mayKeep,
  pickCreative,
  targetingClosesAll,
} from '../delivery/pick-creative.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { Step } from '../plan/stages.ts';
import { copyCandidate, copyFit, reserve, takeCandidate } from '../scratch.ts';
import { leave } from '../stages/candidates.ts';
import { closeStage } from '../stages/close-stage.ts';
import { boolean, ids, oneOf } from './node-keys.ts';
import type { NodeKind, PlanParts } from './node-kind.ts';

const modes = ['exact', 'any', 'none'] as const;

/** Channel and placement match, one creative per offer and requested placement (docs/design/api-catalogue.md 7). */
export const matchCreatives: NodeKind = {
  type: 'match_creatives',
  phase: 1,
  single: true,
  keys: { requireCreative: boolean, placementMatchMode: oneOf(modes), channelIds: ids(100, 'channel') },
  required: [],
  step: (node, parts) => matchStep(node, parts),
};

/** `node` null: the stage that a flow without the node runs at the end of phase 1. */
export function matchStep(node: FlowNode | null, parts: PlanParts): Step {
  const config = node?.config ?? {};
  const { channel: channelNumbers } = parts.builder.index.ordinals;
  const channelIds = readIds(config.channelIds);
  let channels: Uint8Array | null = null;
  if (channelIds.length > 0) {
    channels = new Uint8Array(channelNumbers.size);
    for (const id of channelIds) {
      const number = channelNumbers.get(id);
      if (number !== undefined) channels[number] = 1;
    }
  }
  const settings: MatchSettings = {
    requireCreative: node === null ? false : config.requireCreative !== false,
    mode: readWord(config.placementMatchMode, modes) ?? 'any',
    channels,
  };
  const choices: Choices = [];
  const waiting = parts.waiting.splice(0);
  // A flow without calls has one such node, and no candidate has a creative before it.
  const known = matchedLists(parts);
  const ofMandatory = !parts.isCalled && !parts.mandatoryMatched;
  parts.mandatoryMatched = true;
  parts.matched = true;
  const nodeId = node?.id ?? null;
  return {
    type: 'match_creatives',
    nodeId,
    run(run) {
      run.list =
        known === null ? expand(run, run.list, settings, choices) : expandOthers(run, known, settings, choices);
      if (ofMandatory) run.mandatory = expandMandatory(run, settings);
      for (const gate of waiting) gate(run);
      closeStage(run, 'match_creatives', nodeId);
      run.after.creatives = run.offerCount;
    },
  };
}

/** Returns the lists whose candidates already have creatives; null: none. */
function matchedLists({ matched, own, merged }: PlanParts): ReadonlySet<number> | null {
  if (!matched && merged.length === 0) return null;
  return new Set([...(matched ? [own] : []), ...merged.map(({ number }) => number)]);
}

/**
 * After another match_creatives, or a call that merges, candidates keep the creative for which policies were asked, and
 * leave if this node would reject it. The others are matched.
 */
function expandOthers(run: Run, known: ReadonlySet<number>, settings: MatchSettings, choices: Choices): Candidate[] {
  const knownCandidates = run.list.filter(({ origin }) => known.has(origin));
  for (const candidate of knownCandidates) if (!mayKeep(run, candidate, settings)) leave(run, candidate, 'no_creative');
  const others = run.list.filter(({ origin }) => !known.has(origin));
  if (others.length === 0) return knownCandidates;
  return [...knownCandidates, ...expand(run, others, settings, choices)].sort(byOffer);
}

/** Lists are in offer order, and an offer's candidates in the order of the requested placements. */
export function byOffer(a: Candidate, b: Candidate): number {
  return a.ordinal - b.ordinal || a.slot - b.slot;
}

/** By number of the target: `fixedChoices`, created on first use. */
type Choices = (Int32Array | undefined)[];

function choicesOf(run: Run, settings: MatchSettings, choices: Choices): Int32Array | null {
  const { targetNumber, target, program } = run;
  if (targetNumber < 0 || run.excludedCreatives !== null) return null;
  choices[targetNumber] ??= fixedChoices(program, target, settings);
  return choices[targetNumber];
}

/** Creates one candidate per offer, or per offer and requested placement it fits. */
function expand(run: Run, list: Candidate[], settings: MatchSettings, choices: Choices): Candidate[] {
  const { slots } = run.target;
  if (slots === null) {
    const closed = targetingClosesAll(run);
    const fixed = choicesOf(run, settings, choices);
    const { creatives } = run.program;
    const { creativeChannel } = run.scratch;
    for (let at = 0; at < list.length; at++) {
      const candidate = list[at]!;
      const choice = fixed === null ? ASK : fixed[candidate.ordinal]!;
      if (choice >= 0) {
        candidate.creative = creatives[choice]!;
        candidate.channel = creativeChannel[choice]!;
      } else if (closed) leave(run, candidate, 'placement_targeting');
      else pickCreative(run, candidate, settings);
    }
    return list;
  }
  const { scratch } = run;
  // A placement that no candidate fits has lost them here.
  if (list.length > 0) run.slotRemover.fill('match_creatives');
  // Candidates of the list are already in the scratch. Those of further placements are added after them.
  let next = run.poolUsed;
  const expanded: Candidate[] = [];
  for (const candidate of list) {
    let fitting = 0;
    for (let slot = 0; slot < slots.length; slot++) {
      let option = candidate;
      if (fitting > 0) {
        reserve(scratch, next + 1, candidate.offer);
        option = takeCandidate(scratch, next, candidate.offer);
        copyFit(scratch, next, candidate.at);
        option.origin = candidate.origin;
      }
      option.reason = null;
      option.gate = null;
      option.slot = slot;
      pickCreative(run, option, settings);
      if (option.creative === null) continue;
      if (fitting > 0) next += 1;
      fitting += 1;
      expanded.push(option);
    }
    // No placement took it: it stays in the list with the reason the last one gave.
    if (fitting === 0) expanded.push(candidate);
  }
  run.poolUsed = next;
  return expanded;
}

function expandMandatory(run: Run, settings: MatchSettings): Candidate[] {
  const { slots } = run.target;
  const expanded: Candidate[] = [];
  for (const candidate of run.mandatory) {
    if (slots === null) {
      if (targetingClosesAll(run)) leave(run, candidate, 'placement_targeting');
      else pickCreative(run, candidate, settings);
      expanded.push(candidate);
      continue;
    }
    let fitting = 0;
    for (let slot = 0; slot < slots.length; slot++) {
      let option = candidate;
      if (fitting > 0) {
        reserve(run.scratch, run.poolUsed + 1, candidate.offer);
        option = copyCandidate(run.scratch, run.poolUsed, candidate);
        run.poolUsed += 1;
      }
      option.reason = null;
      option.slot = slot;
      pickCreative(run, option, settings);
      if (option.creative === null) continue;
      fitting += 1;
      expanded.push(option);
    }
    if (fitting === 0) expanded.push(candidate);
  }
  return expanded;
}
