import type { SimulateRequest } from '@arbiter/contract/simulations';
import Type, { type Static } from 'typebox';
import { valuesOf } from './values.ts';

/** What the address of Simulate says: every input of the page, so that a link opens the same question. */
export const SimulateSearch = Type.Object({
  customer: Type.Optional(Type.String()),
  /** A recorded decision to decide once more, instead of now. */
  decision: Type.Optional(Type.String()),
  flow: Type.Optional(Type.String()),
  /** `published` (usual), `draft`, `unsaved`, or the number of a version. */
  version: Type.Optional(Type.String()),
  /** What stands beside it; see `Against`. Left out: what suits the question. */
  against: Type.Optional(Type.String()),
  now: Type.Optional(Type.String()),
  channel: Type.Optional(Type.String()),
  placement: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  profile: Type.Optional(Type.Array(Type.String())),
  attributes: Type.Optional(Type.Array(Type.String())),
  segments: Type.Optional(Type.Array(Type.String())),
  propensityWeight: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  relevanceWeight: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  impactWeight: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  emphasisWeight: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  seed: Type.Optional(Type.String({ maxLength: 64 })),
  /** An offer to look at in the answers. */
  offer: Type.Optional(Type.String()),
});
export type SimulateSearch = Partial<Static<typeof SimulateSearch>>;

/** What the second column runs: nothing, the same without the edits, or another version of the flow. */
export type Against = 'nothing' | 'unedited' | 'published' | 'draft' | number;

export const weightNames = ['propensityWeight', 'relevanceWeight', 'impactWeight', 'emphasisWeight'] as const;

/** True when the question changes what is known of the customer, or how scores are weighed. */
export function hasEdits(search: SimulateSearch): boolean {
  const lists = [search.profile, search.attributes, search.segments];
  return lists.some((list) => list !== undefined && list.length > 0) || hasWeights(search);
}

const hasWeights = (search: SimulateSearch): boolean => weightNames.some((name) => search[name] !== undefined);

/** The version of a flow that an address names; what it cannot be is `published`. */
export function versionOf(text: string | undefined): 'published' | 'draft' | 'unsaved' | number {
  if (text === 'draft' || text === 'unsaved') return text;
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 'published';
}

/** What stands beside the question. A recorded decision stands beside itself: its record has one plan. */
export function againstOf(search: SimulateSearch): Against {
  const { against, decision } = search;
  if (against === 'nothing') return 'nothing';
  if (decision !== undefined) return hasEdits(search) ? 'unedited' : 'nothing';
  if (against === 'unedited') return hasEdits(search) ? 'unedited' : 'nothing';
  const version = versionOf(search.version);
  if (against !== undefined) {
    const other = versionOf(against);
    return other === 'unsaved' || other === version ? 'nothing' : other;
  }
  if (hasEdits(search)) return 'unedited';
  return version === 'published' ? 'nothing' : 'published';
}

export type SimulateBody = SimulateRequest;

/** A config that is stored nowhere, for `version=unsaved`. */
export type UnsavedConfig = Readonly<Record<string, unknown>> | null;

/** The body of the question; null without a customer, or without the config that it asks for. */
export function bodyOf(search: SimulateSearch, unsaved: UnsavedConfig = null): SimulateBody | null {
  const { customer, decision, seed, limit } = search;
  if (customer === undefined || customer === '') return null;
  const shared = {
    customerId: customer,
    ...editsOf(search),
    ...(limit === undefined ? {} : { limit }),
    ...(seed === undefined || seed === '' ? {} : { seed }),
  };
  if (decision !== undefined) return { ...shared, decisionId: decision };
  const version = versionOf(search.version);
  if (version === 'unsaved' && unsaved === null) return null;
  return {
    ...shared,
    ...placeOf(search),
    ...(version === 'unsaved' ? { draftConfig: { ...unsaved } } : version === 'published' ? {} : { version }),
    ...weightsOf(search),
  };
}

/** The body of what stands beside it; null for nothing. Chance is the same on both sides as far as a seed is named. */
export function otherBodyOf(search: SimulateSearch, unsaved: UnsavedConfig = null): SimulateBody | null {
  const against = againstOf(search);
  if (against === 'nothing') return null;
  if (against === 'unedited') return bodyOf(withoutEdits(search), unsaved);
  // The other version is asked with the same edits: only the flow differs.
  const { version: _version, ...rest } = search;
  return bodyOf(against === 'published' ? rest : { ...rest, version: String(against) });
}

/** The same question about the customer as stored. */
export function withoutEdits(search: SimulateSearch): SimulateSearch {
  const { profile: _profile, attributes: _attributes, segments: _segments, ...rest } = search;
  const kept: SimulateSearch = { ...rest };
  for (const name of weightNames) delete kept[name];
  return kept;
}

function editsOf({ profile, attributes, segments }: SimulateSearch): Partial<SimulateBody> {
  return {
    ...(profile === undefined || profile.length === 0 ? {} : { profile: valuesOf(profile) }),
    ...(attributes === undefined || attributes.length === 0 ? {} : { attributes: valuesOf(attributes) }),
    ...(segments === undefined || segments.length === 0 ? {} : { segments: [...segments] }),
  };
}

function placeOf({ flow, now, channel, placement }: SimulateSearch): Partial<SimulateBody> {
  return {
    ...(flow === undefined || flow === '' ? {} : { decisionFlowKey: flow }),
    ...(now === undefined || now === '' ? {} : { now }),
    ...(channel === undefined || channel === '' ? {} : { channel }),
    ...(placement === undefined || placement === '' ? {} : { placement }),
  };
}

function weightsOf(search: SimulateSearch): Partial<SimulateBody> {
  const named = weightNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]] as const]));
  return named.length === 0 ? {} : { formulaOverride: Object.fromEntries(named) };
}
