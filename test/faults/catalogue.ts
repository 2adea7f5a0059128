// A small catalogue with an implicit and an explicit channel, created through the API as a user would.
import { type Caller, must } from './api.ts';

export interface Catalogue {
  readonly offers: readonly string[];
  readonly creatives: readonly string[];
  readonly email: string;
  readonly phone: string;
  readonly category: string;
  readonly flow: string;
  readonly policy: string;
}

const nodes = [
  { id: 'inventory', type: 'inventory', config: {} },
  { id: 'creatives', type: 'match_creatives', config: {} },
  { id: 'qualify', type: 'qualify', config: {} },
  { id: 'policy', type: 'contact_policy', config: {} },
  { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'rank', type: 'rank', config: { method: 'topN', topN: 10 } },
  { id: 'response', type: 'response', config: {} },
];

const flowConfig = { version: 2, nodes, flowConfig: {} };

/** `cap`: contacts per customer within 7 days, over all channels and offers. */
export async function loadCatalogue(call: Caller, size: { offers: number; cap: number }): Promise<Catalogue> {
  const create = async (path: string, body: object): Promise<string> => {
    const made = await must(call('POST', `/v1/${path}`, body));
    return made.id as string;
  };
  const category = await create('categories', { name: 'Everything' });
  const email = await create('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
  const phone = await create('channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' });
  const offers: string[] = [];
  const creatives: string[] = [];
  for (let i = 0; i < size.offers; i++) {
    const offerId = await create('offers', {
      name: `Offer ${i}`,
      status: 'active',
      categoryId: category,
      priority: 90 - i,
      shortDesc: `Offer number ${i}`,
    });
    offers.push(offerId);
    for (const channelId of [email, phone]) {
      const name = `Creative ${i} on ${channelId === email ? 'email' : 'phone'}`;
      creatives.push(
        await create('creatives', { name, offerId, channelId, status: 'active', content: { line: name } }),
      );
    }
  }
  const policy = await create('contact-policies', {
    name: 'Cap',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { windows: [{ max: size.cap, days: 7 }] },
  });
  const flow = await create('decision-flows', { key: 'main', name: 'Main', draftConfig: flowConfig });
  await must(call('POST', '/v1/decision-flows/publish', { id: flow }));
  return { offers, creatives, email, phone, category, flow, policy };
}
