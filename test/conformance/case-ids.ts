import type { Json } from '@arbiter/engine';
import { newId } from '../../packages/server/src/platform/ids.ts';

/** Kinds of records that cases name by short ids. */
export type Kind =
  | 'campaign'
  | 'category'
  | 'channel'
  | 'creative'
  | 'flow'
  | 'offer'
  | 'placement'
  | 'policy'
  | 'profile'
  | 'rule'
  | 'schema'
  | 'segment'
  | 'subCategory';

/** The ids that a tenant gave to the records of a case. */
export interface CaseIds {
  set(kind: Kind, name: string, id: string): void;
  has(kind: Kind, name: string): boolean;
  /** The id of a record; one that no record has when the case names none of its own. */
  of(kind: Kind, name: string): string;
  /** A configuration with the tenant's ids in the places where cases have theirs. */
  out(value: Json): Json;
  /** A body with the tenant's ids in those places. */
  body(value: object): object;
  /** An answer with the ids of the case. */
  back<T>(value: T): T;
}

const kinds: Readonly<Record<string, Kind>> = {
  appliesAcross: 'channel',
  campaignId: 'campaign',
  categoryId: 'category',
  categoryIds: 'category',
  channelId: 'channel',
  channelIds: 'channel',
  contactPolicyIds: 'policy',
  creativeId: 'creative',
  excludeCampaignIds: 'campaign',
  excludeCreatives: 'creative',
  excludeOfferIds: 'offer',
  excludeOffers: 'offer',
  flowKey: 'flow',
  offerId: 'offer',
  offerIds: 'offer',
  placementId: 'placement',
  policyIds: 'policy',
  profileId: 'profile',
  ruleIds: 'rule',
  schemaId: 'schema',
  strategyProfileId: 'profile',
  channels: 'channel',
  subCategoryId: 'subCategory',
  subCategoryIds: 'subCategory',
  targetCategory: 'category',
  triggerCategoryId: 'category',
  withinCampaignId: 'campaign',
};
/** Settings whose keys are ids. */
const keyKinds: Readonly<Record<string, Kind>> = { placementWeights: 'placement', propensityScores: 'offer' };
/** Settings that accept ids and names. */
const orName: ReadonlySet<string> = new Set(['appliesAcross', 'flowKey', 'targetCategory']);
const scopeKinds: Readonly<Record<string, Kind>> = {
  category: 'category',
  channel: 'channel',
  creative: 'creative',
  offer: 'offer',
  placement: 'placement',
  segment: 'segment',
  subcategory: 'subCategory',
};
const fieldKinds: Readonly<Record<string, Kind>> = {
  'creative.id': 'creative',
  // Of an offer_attribute rule.
  id: 'offer',
  'offer.categoryId': 'category',
  'offer.id': 'offer',
  'offer.subCategoryId': 'subCategory',
};
const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export function newCaseIds(): CaseIds {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const set = (kind: Kind, name: string, id: string) => {
    ids.set(`${kind} ${name}`, id);
    names.set(id, name);
  };
  const known = (kind: Kind, name: string): string | undefined =>
    ids.get(`${kind} ${name}`) ?? ids.get(`${kind} ${name.toLowerCase()}`)?.toUpperCase();
  const of = (kind: Kind, name: string): string => {
    const given = known(kind, name);
    if (given !== undefined) return given;
    const id = newId();
    set(kind, name, id);
    return id;
  };
  const mapped = (kind: Kind, value: Json, isAlsoName = false): Json => {
    if (typeof value === 'string') return isAlsoName ? (known(kind, value) ?? value) : of(kind, value);
    return Array.isArray(value) ? value.map((one: Json) => mapped(kind, one, isAlsoName)) : value;
  };
  const keyed = (kind: Kind, byId: Json): Json =>
    Object.fromEntries(
      Object.entries(byId ?? {}).map(([id, value]) => [
        ids.get(`${kind} ${id}`) ?? id,
        value !== null && typeof value === 'object' ? keyed(kind, value) : value,
      ]),
    );
  const out = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(out);
    if (value === null || typeof value !== 'object') return value;
    const { field, attribute, scope } = value as { readonly [key: string]: Json };
    const named = fieldKinds[String(field ?? attribute)];
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key === 'value' && named !== undefined) return [key, mapped(named, inner)];
        const keys = keyKinds[key];
        if (keys !== undefined) return [key, keyed(keys, inner)];
        const kind =
          key === 'scopeId' || (key === 'value' && scope !== undefined) ? scopeKinds[String(scope)] : kinds[key];
        return [key, kind === undefined ? out(inner) : mapped(kind, inner, key === 'value' || orName.has(key))];
      }),
    );
  };
  return {
    set,
    has: (kind, name) => ids.has(`${kind} ${name}`),
    of,
    out,
    body(value) {
      const sent = out(JSON.parse(JSON.stringify(value)));
      return sent !== null && typeof sent === 'object' ? sent : {};
    },
    back: (value) => JSON.parse((JSON.stringify(value) ?? 'null').replace(uuids, (id) => names.get(id) ?? id)),
  };
}
