import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OfferCreativeRef } from '@arbiter/contract/catalogue/offers';
import { cellOf, hasHole } from './cells.ts';

const creative = (channelId: string, status: string): OfferCreativeRef => ({
  ...{ id: status, name: status, status, channelId, placementId: null, templateType: 'banner', weight: 1, version: 1 },
});
const offer = {
  creatives: [
    creative('web', 'active'),
    creative('web', 'draft'),
    creative('mail', 'paused'),
    creative('push', 'archived'),
  ],
};

test('counts active and idle creatives of a channel', () => {
  assert.deepEqual(cellOf(offer, 'web'), { active: 1, idle: 1 });
  assert.deepEqual(cellOf(offer, 'mail'), { active: 0, idle: 1 });
  assert.deepEqual(cellOf(offer, 'push'), { active: 0, idle: 0 });
});

test('has a gap where no creative is active', () => {
  assert.equal(hasHole(offer, ['web']), false);
  assert.equal(hasHole(offer, ['web', 'mail']), true);
  assert.equal(hasHole(offer, []), false);
});
