import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContactPolicy } from '@arbiter/contract/catalogue/contact-policies';
import { contains, limitsOf } from './cap-limits.ts';
import { collisionsOf } from './collisions.ts';

type Case = Pick<ContactPolicy, 'id' | 'name' | 'status' | 'ruleType' | 'config' | 'scopes'>;

const scope = (word: string, scopeId: string | null = null) =>
  ({ id: 'x', contactPolicyId: 'p', scope: word, scopeId, createdAt: '' }) as Case['scopes'][number];

const policy = (
  id: string,
  ruleType: Case['ruleType'],
  config: Case['config'],
  scopes: Case['scopes'] = [scope('global')],
): Case => ({ id, name: id, status: 'active', ruleType, config, scopes });

const nothing = { missing: new Set<string>(), mandatory: [] };
const found = (...policies: readonly Case[]) =>
  collisionsOf(policies, nothing).map(
    (each) => `${each.kind} ${each.policy.id}${each.kind === 'implied' ? ` by ${each.by.id}` : ''}`,
  );

test('finds caps that let nothing pass, and caps without a limit', () => {
  assert.deepEqual(found(policy('a', 'frequency_cap', { maxPerDay: 0 })), ['closed a']);
  assert.deepEqual(found(policy('a', 'customer_total_cap', { maxTotal: 0 })), ['closed a']);
  assert.deepEqual(found(policy('a', 'frequency_cap', { windows: [{ max: 0, hours: 5 }] })), ['closed a']);
  assert.deepEqual(found(policy('a', 'frequency_cap', {})), ['idle a']);
  assert.deepEqual(found({ ...policy('a', 'frequency_cap', {}), status: 'paused' }), []);
});

test('knows which windows hold others', () => {
  const rolling = (hours: number) => ({ kind: 'rolling', hours }) as const;
  assert.ok(contains({ kind: 'weekly' }, { kind: 'daily' }));
  assert.ok(contains({ kind: 'alltime' }, { kind: 'monthly' }));
  assert.ok(!contains({ kind: 'monthly' }, { kind: 'weekly' }), 'a week may cross the end of a month');
  assert.ok(!contains(rolling(24), { kind: 'daily' }), 'a day may have 25 hours');
  assert.ok(contains(rolling(48), { kind: 'daily' }));
  assert.ok(contains(rolling(48), rolling(48)));
  assert.ok(!contains({ kind: 'weekly' }, rolling(24)), 'the last 24 hours may reach into the week before');
});

test('finds a limit that another one always reaches first', () => {
  const ten = policy('ten', 'frequency_cap', { maxPerWeek: 10 });
  assert.deepEqual(found(ten, policy('twelve', 'frequency_cap', { maxPerDay: 12 })), ['implied twelve by ten']);
  assert.deepEqual(found(ten, policy('three', 'frequency_cap', { maxPerDay: 3 })), []);
  assert.deepEqual(found(policy('both', 'frequency_cap', { maxPerDay: 12, maxPerWeek: 10 })), ['implied both by both']);
  const ofOffer = policy('offer', 'frequency_cap', { maxPerDay: 12 }, [scope('offer', 'a')]);
  assert.deepEqual(found(ten, ofOffer), ['implied offer by ten'], 'what counts everything counts the offer too');
  assert.deepEqual(found(policy('each', 'frequency_cap', { maxPerWeek: 10, per: 'offer' }), ofOffer), []);
  assert.deepEqual(
    found(ten, policy('same', 'frequency_cap', { maxPerWeek: 10 })),
    ['implied same by ten'],
    'one of two equal ones',
  );
  assert.deepEqual(found(policy('total', 'customer_total_cap', { maxTotal: 5 }), ten), ['implied ten by total']);
});

test('reports nothing where an override, a campaign or another set makes a difference', () => {
  const ten = policy('ten', 'frequency_cap', { maxPerWeek: 10 });
  const firm = policy('firm', 'frequency_cap', { maxPerDay: 12, bypassable: false });
  assert.deepEqual(found(ten, firm), [], 'an override lifts the tighter one alone');
  assert.deepEqual(found(policy('one', 'frequency_cap', { maxPerWeek: 1, withinCampaignId: 'c' }), ten), []);
  assert.deepEqual(found(policy('web', 'frequency_cap', { maxPerWeek: 1 }, [scope('channel', 'w')]), ten), []);
  assert.deepEqual(found(policy('pause', 'cooldown', { cooldownHours: 999 }), ten), [], 'several items in one answer');
});

test('finds windows that never meet', () => {
  const hours = (
    id: string,
    startHour: number,
    endHour: number,
    more: object = {},
    scopes = [scope('channel', 'push')],
  ) => policy(id, 'time_window', { startHour, endHour, ...more }, scopes);
  assert.deepEqual(found(hours('day', 8, 21), hours('late', 21, 23)), ['disjoint day']);
  assert.deepEqual(found(hours('day', 8, 21), hours('night', 20, 8)), []);
  assert.deepEqual(found(hours('a', 8, 21, { daysOfWeek: [1] }), hours('b', 8, 21, { daysOfWeek: [2] })), [
    'disjoint a',
  ]);
  assert.deepEqual(found(hours('fri', 22, 4, { daysOfWeek: [5] }), hours('sat', 2, 3, { daysOfWeek: [6] })), []);
  assert.deepEqual(found(hours('day', 8, 21), hours('late', 21, 23, { timezone: 'Asia/Tokyo' })), []);
  assert.deepEqual(found(hours('day', 8, 21), hours('late', 21, 23, { zonePath: 'customer.zone' })), []);
  assert.deepEqual(found(hours('day', 8, 21), hours('late', 21, 23, {}, [scope('channel', 'web')])), []);
  assert.deepEqual(found(hours('day', 8, 21), hours('late', 21, 23, {}, [scope('global')])), ['disjoint day']);
});

test('names what an override for everything lifts', () => {
  const override = policy('all', 'allow_override', {});
  const [collision] = collisionsOf(
    [
      override,
      policy('a', 'cooldown', { cooldownHours: 1 }),
      policy('b', 'cooldown', { cooldownHours: 1, bypassable: false }),
      policy('c', 'do_not_contact', {}),
    ],
    nothing,
  );
  assert.deepEqual(collision?.kind === 'lifted' && collision.lifts.map(({ id }) => id), ['a']);
  assert.deepEqual(found(policy('one', 'allow_override', {}, [scope('offer', 'x')]), policy('a', 'cooldown', {})), []);
});

test('finds deleted targets and mandatory offers in a group', () => {
  const gone = policy('gone', 'cooldown', { cooldownHours: 1 }, [scope('offer', 'x')]);
  const half = policy('half', 'cooldown', { cooldownHours: 1 }, [scope('offer', 'x'), scope('offer', 'y')]);
  const group = policy('group', 'mutual_exclusion', { excludeOfferIds: ['y', 'm'] });
  const facts = {
    missing: new Set(['x']),
    mandatory: [
      { id: 'm', name: 'M' },
      { id: 'n', name: 'N' },
    ],
  };
  assert.deepEqual(
    collisionsOf([gone, half, group], facts).map(({ kind, policy: { id } }) => [kind, id]),
    [
      ['orphan', 'gone'],
      ['mandatory', 'group'],
    ],
  );
});

test('reads the limits of every cap', () => {
  assert.deepEqual(limitsOf({ ruleType: 'cross_channel_cap', config: { maxTotal: 2 } }), [
    { max: 2, window: { kind: 'daily' } },
  ]);
  assert.deepEqual(limitsOf({ ruleType: 'cooldown', config: { cooldownHours: 2 } }), []);
  assert.equal(
    limitsOf({ ruleType: 'offer_category_cap', config: { maxTotal: 2, windows: [{ max: 1, days: 1 }] } }).length,
    1,
  );
});
