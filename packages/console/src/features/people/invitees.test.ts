import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOn, readInvitees } from './invitees.ts';

test('reads addresses with and without names, each once', () => {
  const { people, wrong } = readInvitees(
    'ada@example.com\n Ada Lovelace <ADA@example.com>, Bob <bob@example.com>;\n\n',
  );
  assert.deepEqual(
    people.map(({ email, name }) => [email, name]),
    [
      ['ada@example.com', undefined],
      ['bob@example.com', 'Bob'],
    ],
  );
  assert.deepEqual(wrong, []);
});

test('reports entries that are not addresses', () => {
  assert.deepEqual(readInvitees('ada\nbob@\nEve <eve>\nx@y.example').wrong, ['ada', 'bob@', 'Eve <eve>']);
});

test("doesn't let admins shut themselves out", () => {
  const me = { id: 'me', status: 'active', secondFactor: true } as const;
  assert.deepEqual([actsOn(me, 'me').deactivate, actsOn(me, 'me').resetFactor], ['ownDeactivate', 'ownFactor']);
  assert.deepEqual([actsOn(me, 'other').deactivate, actsOn(me, 'other').resetFactor], [null, null]);
});

test("offers the actions that fit a person's status", () => {
  const acts = (status: 'invited' | 'active' | 'locked' | 'deactivated') =>
    actsOn({ id: 'a', status, secondFactor: false }, 'me');
  assert.equal(acts('invited').resend, null);
  assert.equal(acts('active').resend, 'accepted');
  assert.deepEqual([acts('locked').unlock, acts('active').unlock], [true, false]);
  assert.equal(acts('deactivated').deactivate, 'inactive');
  assert.equal(acts('active').resetFactor, 'noFactor');
});
