// How long the event loop is held while a large catalogue is read and compiled for the first time and after changes, and
// how long the first decision takes then. In this process, so that each turn can be told; figures in ms, wall time and
// (as other processes of the machine do not show in it) processor time of this thread.
//   node test/load/stalls.ts [--offers 10000]
import { parseArgs } from 'node:util';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';

const { values } = parseArgs({ options: { offers: { type: 'string', default: '10000' } } });
const offers = Number(values.offers);
const server = await startTestServer();
const owner = (text: string, given: unknown[] = []) => server.testDatabase.ownerQuery(text, given);
const key = server.tenants[0].keys.admin;

async function call(method: 'POST' | 'PUT', path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await server.call<Record<string, unknown>>(method, `/api/v1/${path}`, { body, key });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function longestTurn(name: string, work: () => Promise<unknown>): Promise<void> {
  let [wall, cpu] = [performance.now(), threadMs()];
  const longest = { wall: 0, cpu: 0, turns: 0 };
  let going = true;
  const look = (): void => {
    const [wallNow, cpuNow] = [performance.now(), threadMs()];
    longest.wall = Math.max(longest.wall, wallNow - wall);
    longest.cpu = Math.max(longest.cpu, cpuNow - cpu);
    longest.turns += 1;
    [wall, cpu] = [wallNow, cpuNow];
    if (going) setImmediate(look);
  };
  setImmediate(look);
  const [started, spent] = [wall, cpu];
  await work();
  going = false;
  const took = { wall: performance.now() - started, cpu: threadMs() - spent };
  const all = [took.wall, took.cpu, longest.wall, longest.cpu].map((ms) => ms.toFixed(0).padStart(6));
  console.log(`${name.padEnd(42)} took ${all[0]} (cpu ${all[1]}), longest turn ${all[2]} (cpu ${all[3]})`);
}

try {
  const categoryId = (await call('POST', 'categories', { name: 'Cards' })).id;
  const channelId = (
    await call('POST', 'channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' })
  ).id;
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'm', type: 'match_creatives', config: {} },
    { id: 's', type: 'score', config: { method: 'formula' } },
    { id: 'r', type: 'response', config: {} },
  ];
  const flow = await call('POST', 'decision-flows', {
    key: 'large',
    name: 'large',
    draftConfig: { version: 2, nodes, flowConfig: {} },
  });
  await call('POST', 'decision-flows/publish', { id: flow.id });
  for (let n = 0; n < 10; n++) {
    await call('POST', 'qualification-rules', {
      name: `Rule ${n}`,
      ruleType: 'attribute_condition',
      stage: 'eligibility',
      scope: 'global',
      config: { attribute: 'attributes.page', operator: 'neq', value: `never ${n}` },
    });
    await call('POST', 'contact-policies', {
      name: `Cap ${n}`,
      scope: 'global',
      ruleType: 'frequency_cap',
      config: { maxPerDay: 1_000 + n, per: 'offer' },
    });
  }
  await owner(
    `with made as (
       insert into arbiter.offers (tenant_id, id, name, status, category_id, priority, short_desc, tags, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'Offer ' || n, 'active', $2, n % 80, 'Offer number ' || n, '["a","b"]', 1, now(), now()
       from generate_series(1, ${offers}) n returning tenant_id, id, name)
     insert into arbiter.creatives (tenant_id, id, name, offer_id, channel_id, status, template_type, content, personalization,
       constraints, weight, version, created_at, updated_at)
     select tenant_id, gen_random_uuid(), name || ' ' || k, id, $3, 'active', 'email_html',
       jsonb_build_object('subject', name || ' for {name}', 'body', 'Dear {name}, ' || repeat('more ', 20)),
       '[{"variable":"name","source":"customer.name","fallback":"you"}]', '{}', 100, 1, now(), now()
     from made, generate_series(1, 2) k`,
    [server.tenants[0].id, categoryId, channelId],
  );
  const decide = (customerId: string) =>
    call('POST', 'recommend', {
      customerId,
      channel: 'email',
      limit: 1,
      decisionFlowKey: 'large',
      attributes: { page: 'home' },
    });
  await longestTurn('warm-up', () => server.decisions.warmUp(performance.now() + 60_000));
  await longestTurn('first decision', () => decide('A'));
  await longestTurn('second decision', () => decide('B'));
  for (let n = 0; n < 3; n++) {
    const { decisions } = (await decide('C')) as { decisions: { offerId: string }[] };
    const body = { id: decisions[0]!.offerId, shortDesc: `changed ${n}` };
    await longestTurn('change of an offer, and a decision', async () => {
      await call('PUT', 'offers', body);
      await decide('D');
    });
  }
  await owner(`update arbiter.offers set short_desc = short_desc || '!'`);
  await longestTurn('change of every offer, and a decision', async () => {
    await call('POST', 'categories', { name: 'Raises the version' });
    await decide('E');
  });
  await longestTurn('a decision', () => decide('F'));
} finally {
  await server.close();
}
process.exit(0);
