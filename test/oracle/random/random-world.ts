import { compile, foldContacts, type Plan, type ScopeAssignment, type Snapshot } from '@arbiter/engine';
import { chanceOf } from '../../../packages/engine/test/corpus/chance.ts';
import { randomNodes } from '../../../packages/engine/test/corpus/random-flow.ts';
import { randomContacts, randomInput } from '../../../packages/engine/test/corpus/random-input.ts';
import { randomSnapshot } from '../../../packages/engine/test/corpus/random-plan.ts';
import { unpackInput } from '../../../packages/engine/test/corpus/record.ts';
import { zoneClock, zoneOffsets } from '../../../packages/server/src/platform/time/zones.ts';
import type { World } from '../world.ts';
import { withFeatures, withStates } from './random-features.ts';

/** Configs that the oracle doesn't read: policies and rules that can't be evaluated have cases of their own. */
const unreadable = ({ config }: { readonly config: Snapshot['policies'][number]['config'] }): boolean =>
  config.maxPerDay === 'many' ||
  Object.keys(config).length === 0 ||
  (config.operator !== undefined && config.attribute === undefined);

/** Records assigned to nothing that exists block nothing, including their suppressions. */
const isKnown = ({ subCategories }: Snapshot, { scope, scopeId }: ScopeAssignment): boolean =>
  scope !== 'subcategory' || subCategories.some(({ id }) => id === scopeId);

/** A catalogue with its flows and one customer's facts, by chance; the same for the same seed. */
export function randomWorld(seed: string, features = true): World & { readonly plan: Plan } {
  const chance = chanceOf('oracle', seed);
  const made = randomSnapshot(chance, zoneOffsets, { ranks: features });
  const plain: Snapshot = {
    ...made,
    policies: made.policies.filter(
      (policy) => !unreadable(policy) && policy.scopes.some((scope) => isKnown(made, scope)),
    ),
    rules: made.rules.filter((rule) => !unreadable(rule) && rule.config.segments === undefined),
  };
  const snapshot = features ? withFeatures(chance, plain, randomNodes) : plain;
  const plan = compile(snapshot);
  const read = unpackInput(randomInput(chance, snapshot, plan, 1, zoneClock));
  const stated = features ? withStates(chance, snapshot, plan, read) : read;
  // Rows are judged before creatives are matched where no node matches them, and overrides on channels then cannot lift them.
  const matches = snapshot.flow.config.nodes.some(({ type }) => type === 'match_creatives');
  const suppressions = stated.suppressions.filter(({ policyId }) => matches || !features || policyId === null);
  const input = { ...stated, suppressions };
  const contacts = randomContacts(chance, snapshot, input.now);
  const zone = input.zones[plan.timezone]!;
  return {
    snapshot,
    plan,
    contacts,
    input: {
      ...input,
      contacts: foldContacts(contacts, plan.windows, input.now, zone, { longestCooldownMs: plan.longestCooldownMs }),
    },
  };
}
