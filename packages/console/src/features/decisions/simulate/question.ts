import type { SimulateRequest } from '@arbiter/contract/deciding/simulations';
import Type, { type Static } from 'typebox';
import { valuesOf } from './values.ts';

/** Address state of Simulate: every input, so that a link repeats the simulation. */
export const SimulateSearch = Type.Object({
  customer: Type.Optional(Type.String()),
  /** A recorded decision to replay instead of a new one. */
  decision: Type.Optional(Type.String()),
  flow: Type.Optional(Type.String()),
  /** `published` (default), `draft`, `unsaved`, or a version number. */
  version: Type.Optional(Type.String()),
  /** The comparison; see `Against`. Undefined chooses one automatically. */
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
  /** An offer to highlight in the results. */
  offer: Type.Optional(Type.String()),
});
export type SimulateSearch = Partial<Static<typeof SimulateSearch>>;

/** What the second column runs: nothing, the same without edits, or another flow version. */
export type Against = 'nothing' | 'unedited' | 'published' | 'draft' | number;

export const weightNames = ['propensityWeight', 'relevanceWeight', 'impactWeight', 'emphasisWeight'] as const;

/** Whether the request edits the customer or the score weights. */
export function hasEdits(search: SimulateSearch): boolean {
  const lists = [search.profile, search.attributes, search.segments];
  return lists.some((list) => list !== undefined && list.length > 0) || hasWeights(search);
}

const hasWeights = (search: SimulateSearch): boolean => weightNames.some((name) => search[name] !== undefined);

/** Parses the flow version of an address; invalid values mean `published`. */
export function versionOf(text: string | undefined): 'published' | 'draft' | 'unsaved' | number {
  if (text === 'draft' || text === 'unsaved') return text;
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 'published';
}

/** Returns the comparison. A recorded decision compares with itself: its record has one plan. */
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

/** Default seed: constant, so that two results differ only by their inputs and a link repeats them. */
export const defaultSeed = '0';

/** An unsaved config, for `version=unsaved`. */
export type UnsavedConfig = Readonly<Record<string, unknown>> | null;

/** Returns the request body; null without a customer, or without the required config. */
export function bodyOf(search: SimulateSearch, unsaved: UnsavedConfig = null): SimulateBody | null {
  const { customer, decision, seed, limit } = search;
  if (customer === undefined || customer === '') return null;
  const shared = {
    customerId: customer,
    ...editsOf(search),
    ...(limit === undefined ? {} : { limit }),
  };
  const own = seed === undefined || seed === '' ? null : seed;
  // Records have their own seed.
  if (decision !== undefined) return { ...shared, ...(own === null ? {} : { seed: own }), decisionId: decision };
  const version = versionOf(search.version);
  if (version === 'unsaved' && unsaved === null) return null;
  return {
    ...shared,
    seed: own ?? defaultSeed,
    ...placeOf(search),
    ...(version === 'unsaved' ? { draftConfig: { ...unsaved } } : version === 'published' ? {} : { version }),
    ...weightsOf(search),
  };
}

/** Returns the body of the comparison; null for none. Both sides use the same seed. */
export function otherBodyOf(search: SimulateSearch, unsaved: UnsavedConfig = null): SimulateBody | null {
  const against = againstOf(search);
  if (against === 'nothing') return null;
  if (against === 'unedited') return bodyOf(withoutEdits(search), unsaved);
  // The other version gets the same edits, so that only the flow differs.
  const { version: _version, ...rest } = search;
  return bodyOf(against === 'published' ? rest : { ...rest, version: String(against) });
}

/** Returns the same request for the unedited customer. */
export function withoutEdits(search: SimulateSearch): SimulateSearch {
  const { profile: _profile, attributes: _attributes, segments: _segments, ...rest } = search;
  const unedited: SimulateSearch = { ...rest };
  for (const name of weightNames) delete unedited[name];
  return unedited;
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
