import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '@arbiter/contract/catalogue/channels';
import type { OfferCreativeRef } from '@arbiter/contract/catalogue/offers';
import { matrixOf } from './matrix.ts';

const placement = (id: string, channelId: string): Channel['placements'][number] => ({
  id,
  channelId,
  name: id,
  key: id,
  description: '',
  slotType: 'banner',
  maxSlots: 1,
  schema: null,
  targeting: null,
  status: 'active',
  version: 1,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});
const channel = (id: string, ...placements: readonly string[]) => ({
  id,
  name: id,
  status: 'active' as const,
  placements: placements.map((one) => placement(one, id)),
});
const creative = (id: string, channelId: string, placementId: string | null, status = 'active'): OfferCreativeRef => ({
  id,
  name: id,
  status,
  channelId,
  placementId,
  templateType: 'banner',
  weight: 100,
  version: 1,
});
const seen = (rows: ReturnType<typeof matrixOf>) =>
  rows.map(({ channelName, span, placement: place, creatives, covered }) => [
    channelName,
    span,
    place?.id ?? null,
    creatives.map(({ id }) => id).join(),
    covered,
  ]);

test('each placement has a row, and one without a creative is a hole', () => {
  const rows = matrixOf([channel('web', 'hero', 'card'), channel('mail')], [creative('a', 'web', 'hero')]);
  assert.deepEqual(seen(rows), [
    ['mail', 1, null, '', false],
    ['web', 2, 'hero', 'a', false],
    ['web', 0, 'card', '', false],
  ]);
});

test('a creative for any placement covers the places without one, if it is active', () => {
  const channels = [channel('web', 'hero', 'card')];
  assert.deepEqual(seen(matrixOf(channels, [creative('a', 'web', 'hero'), creative('b', 'web', null)])), [
    ['web', 3, null, 'b', false],
    ['web', 0, 'hero', 'a', false],
    ['web', 0, 'card', '', true],
  ]);
  const paused = matrixOf(channels, [creative('b', 'web', null, 'paused')]);
  assert.deepEqual(
    paused.map(({ covered }) => covered),
    [false, false, false],
  );
});

test('a creative of a placement that is gone is still seen, and covers nothing', () => {
  assert.deepEqual(seen(matrixOf([channel('web', 'hero')], [creative('a', 'web', 'gone')])), [
    ['web', 2, null, 'a', false],
    ['web', 0, 'hero', '', false],
  ]);
});
