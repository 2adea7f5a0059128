/**
 * Properties, by operation, whose changes show before the server confirms: names, texts, tags, order. Changes to what is live,
 * who sees it or how often wait for the response (docs/design/console.md, section 1, P9). A test ensures that no admin
 * operation is listed.
 */
export const optimisticProperties: Readonly<Record<string, readonly string[]>> = {
  'offers.update': ['name', 'description', 'shortDesc', 'tags', 'priority'],
  'offers.updateById': ['name', 'description', 'shortDesc', 'tags', 'priority'],
  'creatives.update': ['name'],
  'creatives.updateById': ['name'],
  'categories.update': ['name', 'description', 'icon', 'color', 'ordinal'],
  'categories.updateById': ['name', 'description', 'icon', 'color', 'ordinal'],
  'subCategories.update': ['name', 'description', 'icon', 'color', 'ordinal'],
  'subCategories.updateById': ['name', 'description', 'icon', 'color', 'ordinal'],
  'channels.update': ['name', 'description'],
  'channels.updateById': ['name', 'description'],
  'placements.update': ['name', 'description'],
  'placements.updateById': ['name', 'description'],
  'segments.update': ['name', 'description'],
  'segments.updateById': ['name', 'description'],
  'decisionFlows.update': ['name', 'description'],
  'decisionFlows.updateById': ['name', 'description'],
  'preferences.set': ['*'],
};

/** Properties that identify the record and change nothing. */
const addressing = new Set(['id', 'rowVersion']);

/** Whether a change may show immediately: every changed property must be listed. */
export function mayShowAtOnce(operationId: string, body: object): boolean {
  const allowed = optimisticProperties[operationId];
  if (allowed === undefined) return false;
  if (allowed.includes('*')) return true;
  const changed = Object.keys(body).filter((name) => !addressing.has(name));
  return changed.length > 0 && changed.every((name) => allowed.includes(name));
}
