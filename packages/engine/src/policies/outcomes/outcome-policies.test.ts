import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../test/form.ts';
import { readCase } from '../../../test/conformance/case.ts';
import { compile, decide, type Json } from '../../index.ts';

// outcome_based and category_suppression against an oracle that goes through everything that happened, for each offer
// (docs/design/api-catalogue.md 8.3). It shares no code with them.

const hourMs = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00Z');
const channels = ['email', 'sms'] as const;
const categories = ['K', 'L'] as const;

interface OfferFact {
  readonly id: string;
  readonly categoryId: string | null;
  readonly subCategoryId: string | null;
  readonly channelId: string;
}
interface Event {
  readonly offerId: string;
  readonly channelId: string;
  readonly creativeId: string;
  /** Null: a contact. */
  readonly outcome: string | null;
  /** Before now, in hours; negative: dated ahead. */
  readonly hours: number;
}

const offerOf = (id: string): fc.Arbitrary<OfferFact> =>
  fc
    .record({
      category: fc.constantFrom(...categories, null),
      sub: fc.boolean(),
      channelId: fc.constantFrom(...channels),
    })
    .map(({ category, sub, channelId }) => ({
      id,
      categoryId: category,
      subCategoryId: category !== null && sub ? `${category}1` : null,
      channelId,
    }));
const offers = fc.tuple(offerOf('A'), offerOf('B'), offerOf('C'), offerOf('D'));
/** Around the boundaries of the policies' look-back: both sides and exactly on them. */
const hours = fc.constantFrom(-5, 0, 1, 23, 24, 25, 47, 48, 49, 71, 72, 73, 500);
const events = fc.array(
  fc.record({
    offerId: fc.constantFrom('A', 'B', 'C', 'D', 'gone'),
    channelId: fc.constantFrom(...channels),
    creativeId: fc.constantFrom('A-c', 'B-c', 'old'),
    outcome: fc.constantFrom('click', 'dismiss', 'complaint', 'expired', 'not_presented', null),
    hours,
  }),
  { maxLength: 8 },
);
const scopes = fc.uniqueArray(
  fc.oneof(
    fc.constant({ scope: 'global', scopeId: null }),
    fc.constantFrom('A', 'B').map((scopeId) => ({ scope: 'offer', scopeId })),
    fc.constantFrom(...categories).map((scopeId) => ({ scope: 'category', scopeId })),
    fc.constantFrom('K1', 'L1').map((scopeId) => ({ scope: 'subcategory', scopeId })),
    fc.constantFrom(...channels).map((scopeId) => ({ scope: 'channel', scopeId })),
    fc.constantFrom('A-c', 'B-c').map((scopeId) => ({ scope: 'creative', scopeId })),
  ),
  { minLength: 1, maxLength: 3, selector: ({ scope, scopeId }) => `${scope} ${scopeId}` },
);
type Assignment = { readonly scope: string; readonly scopeId: string | null };
const outcomeKeys = fc.uniqueArray(fc.constantFrom<string[]>('click', 'dismiss', 'expired'), {
  minLength: 1,
  maxLength: 2,
});
const days = fc.constantFrom(0, 1, 2, 3);
const perWords = ['scope', 'offer', 'creative', 'channel', 'category'] as const;

const covers = ({ scope, scopeId }: Assignment, offer: OfferFact | undefined, channelId: string, creativeId: string) =>
  scope === 'global' ||
  (scope === 'channel' && channelId === scopeId) ||
  (scope === 'creative' && creativeId === scopeId) ||
  (offer !== undefined &&
    ((scope === 'offer' && offer.id === scopeId) ||
      (scope === 'category' && offer.categoryId === scopeId) ||
      (scope === 'subcategory' && offer.subCategoryId === scopeId)));

const isFelt = (event: Event, forDays: number): boolean => forDays > 0 && event.hours < forDays * 24;

/** Offers that the engine shows under one policy. */
function shown(facts: readonly OfferFact[], all: readonly Event[], policy: { readonly [key: string]: Json }): string[] {
  const rows = (some: readonly Event[]) =>
    some.map(({ hours: before, outcome, ...lane }) => ({
      ...lane,
      ...(outcome === null ? {} : { outcome }),
      at: new Date(now - before * hourMs).toISOString(),
    }));
  const source = {
    name: 'random',
    at: new Date(now).toISOString(),
    categories: categories.map((id) => ({ id, name: id })),
    subCategories: categories.map((id) => ({ id: `${id}1`, categoryId: id, name: `${id}1` })),
    channels: channels.map((id) => ({ id, channelType: id })),
    offers: facts.map(({ channelId: _channel, ...offer }) => ({ ...offer })),
    creatives: facts.map(({ id, channelId }) => ({ id: `${id}-c`, offerId: id, channelId })),
    policies: [{ id: 'p', ...policy }],
    contacts: rows(all.filter(({ outcome }) => outcome === null)),
    outcomes: rows(all.filter(({ outcome }) => outcome !== null)),
    request: { limit: 10 },
    expect: {},
  };
  const read = readCase(source);
  const plan = compile(read.snapshot);
  const input = read.input(plan);
  const items = decide(plan, input).items.map(({ offerId }) => offerId);
  assert.deepEqual(
    decide(plan, input, { trace: true }).items.map(({ offerId }) => offerId),
    items,
  );
  return items.sort();
}

test('outcome_based blocks what the oracle blocks, in any scope; a lower priority changes nothing', () => {
  fc.assert(
    fc.property(
      offers,
      events,
      scopes,
      outcomeKeys,
      days,
      fc.constantFrom(...perWords),
      (facts, all, assigned, keys, suppressForDays, per) => {
        const sameBucket = (offer: OfferFact, event: Event): boolean => {
          const other = facts.find(({ id }) => id === event.offerId);
          if (per === 'offer') return event.offerId === offer.id;
          if (per === 'creative') return event.creativeId === `${offer.id}-c`;
          if (per === 'channel') return event.channelId === offer.channelId;
          return per === 'scope' || (other !== undefined && other.categoryId === offer.categoryId);
        };
        const isBlocked = (offer: OfferFact): boolean =>
          assigned.some(
            (assignment) =>
              covers(assignment, offer, offer.channelId, `${offer.id}-c`) &&
              all.some(
                (event) =>
                  event.outcome !== null &&
                  keys.includes(event.outcome) &&
                  isFelt(event, suppressForDays) &&
                  sameBucket(offer, event) &&
                  covers(
                    assignment,
                    facts.find(({ id }) => id === event.offerId),
                    event.channelId,
                    event.creativeId,
                  ),
              ),
          );
        const policy = {
          ruleType: 'outcome_based',
          config: { afterOutcome: keys, suppressForDays, per },
          scopes: assigned,
        };
        const expected = facts.filter((offer) => !isBlocked(offer)).map(({ id }) => id);
        assert.deepEqual(shown(facts, all, policy), expected);
        assert.deepEqual(shown(facts, all, { ...policy, priority: 0 }), expected);
      },
    ),
    randomCases(1500),
  );
});

test('category_suppression blocks what the oracle blocks', () => {
  const ids = fc.record({
    categoryId: fc.constantFrom('K', 'L', 'gone', null),
    subCategoryId: fc.constantFrom('K1', null, null),
    triggerCategoryId: fc.constantFrom('K', null, null),
  });
  fc.assert(
    fc.property(
      offers,
      events,
      scopes,
      ids,
      fc.option(outcomeKeys),
      days,
      (facts, all, assigned, named, afterOutcome, suppressionDays) => {
        const { categoryId, subCategoryId, triggerCategoryId } = named;
        const isOwn = categoryId === null && subCategoryId === null && triggerCategoryId === null;
        const isOf = (offer: OfferFact): boolean =>
          (categoryId === null || offer.categoryId === categoryId) &&
          (subCategoryId === null || offer.subCategoryId === subCategoryId);
        const triggers = (event: Event, offer: OfferFact): boolean => {
          const of = event.outcome;
          if (
            afterOutcome === null
              ? of === 'expired' || of === 'not_presented'
              : of === null || !afterOutcome.includes(of)
          ) {
            return false;
          }
          const other = facts.find(({ id }) => id === event.offerId);
          if (!isFelt(event, suppressionDays)) return false;
          if (isOwn) return other !== undefined && offer.categoryId !== null && other.categoryId === offer.categoryId;
          if (triggerCategoryId !== null) return other?.categoryId === triggerCategoryId;
          return other !== undefined && isOf(other);
        };
        const isBlocked = (offer: OfferFact): boolean =>
          isOf(offer) &&
          assigned.some((assignment) => covers(assignment, offer, offer.channelId, `${offer.id}-c`)) &&
          all.some((event) => triggers(event, offer));
        const policy = {
          ruleType: 'category_suppression',
          config: { ...named, suppressionDays, ...(afterOutcome === null ? {} : { afterOutcome }) },
          scopes: assigned,
        };
        assert.deepEqual(
          shown(facts, all, policy),
          facts.filter((offer) => !isBlocked(offer)).map(({ id }) => id),
        );
      },
    ),
    randomCases(1500),
  );
});
