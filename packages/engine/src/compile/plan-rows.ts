import type { Builder } from '../plan/builder.ts';
import type { PlanCreative, PlanOffer } from '../plan/offer.ts';
import type { Ordinals } from '../plan/ordinals.ts';
import type { CompiledPolicy } from '../plan/policy.ts';
import type { CompiledRule } from '../plan/rule.ts';
import type { Snapshot, SnapshotChannel, SnapshotPlacement } from '../plan/snapshot.ts';
import { compilePolicies } from '../policies/policy-kinds.ts';
import { compileRules } from '../qualification/rule-kinds.ts';
import { createBuilder } from './builder.ts';
import { compileCreatives, compileOffers, sortById } from './catalogue.ts';
import { numberIds } from './ordinals.ts';

/** The tenant's catalogue, in the plan's numbers. */
export interface PlanRows {
  readonly snapshot: Snapshot;
  readonly builder: Builder;
  readonly ordinals: Ordinals;
  readonly channels: readonly SnapshotChannel[];
  /** Placements of active channels. */
  readonly placements: readonly SnapshotPlacement[];
  readonly placementNumber: ReadonlyMap<string, number>;
  readonly creatives: readonly PlanCreative[];
  readonly offers: readonly PlanOffer[];
  readonly dayWindow: number;
  readonly days30Window: number;
  readonly policies: readonly CompiledPolicy[];
  readonly rules: readonly CompiledRule[];
}

export function* compileRows(snapshot: Snapshot): Generator<void, PlanRows> {
  const ordinals = yield* numberIds(snapshot);
  const builder = createBuilder(snapshot, ordinals);
  yield;
  const channels = sortById(snapshot.channels);
  const placements = sortById(snapshot.placements).filter(({ channelId }) => ordinals.channel.has(channelId));
  const placementNumber = new Map(placements.map(({ id }, number) => [id, number]));
  const creatives = yield* compileCreatives(snapshot, ordinals, placementNumber, builder);
  const offers = yield* compileOffers(snapshot, ordinals, creatives, builder);
  // Windows are numbered in this order: offers, these two, policies.
  const dayWindow = builder.window({ kind: 'day' });
  const days30Window = builder.window({ kind: 'days30' });
  const policies = yield* compilePolicies(snapshot.policies, builder);
  const rules = yield* compileRules(snapshot.rules, builder, offers);
  return {
    snapshot,
    builder,
    ordinals,
    channels,
    placements,
    placementNumber,
    creatives,
    offers,
    dayWindow,
    days30Window,
    policies,
    rules,
  };
}
