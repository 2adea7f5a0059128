import type { CreativeCreate } from '@arbiter/contract';
import type { SnapshotCreative } from '@arbiter/engine';
import { columnDefaults } from '../../../db/column-defaults.ts';
import { createSharedValues, withDefaults } from '../catalogue-records/index.ts';
import { toSnapshot } from './creatives.store.ts';

/** Returns what decisions would read of a creative created with this body; null: nothing, because it isn't active. */
export function previewCreative(id: string, body: CreativeCreate): SnapshotCreative | null {
  const row = withDefaults(columnDefaults.creatives, body);
  if (row.status !== 'active') return null;
  const { content, personalization, constraints, ...plain } = row;
  const texts = {
    content: JSON.stringify(content),
    personalization: JSON.stringify(personalization),
    constraints: JSON.stringify(constraints),
  };
  return toSnapshot({ ...plain, id, ...texts }, createSharedValues());
}
