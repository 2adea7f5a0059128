/**
 * Properties whose change is shown before the server has confirmed it, by operation: names, texts, tags, order. What decides
 * whether something is live, who may see it or how often, waits for the answer (docs/design/console.md 1, P9). No operation
 * of administrators is here; a test holds that.
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

/** What names the record and its state, and changes nothing. */
const addressing = new Set(['id', 'rowVersion']);

/** Whether a change may be shown at once: all that it changes must be on the list. */
export function mayShowAtOnce(operationId: string, body: object): boolean {
  const allowed = optimisticProperties[operationId];
  if (allowed === undefined) return false;
  if (allowed.includes('*')) return true;
  const changed = Object.keys(body).filter((name) => !addressing.has(name));
  return changed.length > 0 && changed.every((name) => allowed.includes(name));
}
